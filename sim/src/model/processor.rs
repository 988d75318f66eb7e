// SPDX-License-Identifier: MIT OR Apache-2.0
//! The processor of this machine, as flags of the compiler.

/// Instructions on bits that this processor has and a model gains by: a CRC is made of parities, a
/// choice of masks. A processor without them gets a model without them, under another hash.
pub(super) fn bits() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let has = [
        ("-msse4.2", is_x86_feature_detected!("sse4.2")),
        ("-mpopcnt", is_x86_feature_detected!("popcnt")),
        ("-mbmi", is_x86_feature_detected!("bmi1")),
        ("-mbmi2", is_x86_feature_detected!("bmi2")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let has: [(&str, bool); 0] = [];
    has.into_iter().filter_map(|(flag, is_there)| is_there.then_some(flag)).collect()
}
