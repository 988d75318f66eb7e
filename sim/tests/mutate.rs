// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutants in a running model: none chosen is the unchanged hardware, each chosen one behaves
//! otherwise.
use ferrowarp_hdl::emit::emit;
use ferrowarp_hdl::stream::Skid;
use ferrowarp_sim::mutate::Plan;
use ferrowarp_sim::{model_of, Library, Model};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Cycles driven: enough for the skid to fill and empty many times.
const CYCLES: u64 = 400;

fn set(model: &mut Model, port: &str, value: u64) {
    let id = model.need(port).unwrap();
    model.set_u64(id, value).unwrap();
}

fn get(model: &Model, port: &str) -> u64 {
    model.get_u64(model.need(port).unwrap()).unwrap()
}

/// What a receiver sees of the skid in each cycle after reset, under stimuli that depend on nothing
/// else.
fn behaviour(library: &Arc<Library>, mutant: Option<u32>) -> Vec<(u64, u64, u64)> {
    let mut model = library.instantiate(3);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    if let Some(mutant) = mutant {
        set(&mut model, "mutant", mutant.into());
    }
    let mut seen = vec![];
    for cycle in 0..CYCLES {
        set(&mut model, "clock", 0);
        set(&mut model, "reset", u64::from(cycle < 4));
        set(&mut model, "rx_data", rng.random());
        set(&mut model, "rx_bytes", 8);
        for port in ["rx_valid", "rx_last", "rx_err", "tx_ready"] {
            set(&mut model, port, rng.random_range(0..2));
        }
        model.eval();
        if cycle >= 4 {
            let valid = get(&model, "tx_valid");
            let data = if valid == 1 { get(&model, "tx_data") } else { 0 };
            seen.push((valid, data, get(&model, "rx_ready")));
        }
        set(&mut model, "clock", 1);
        model.eval();
    }
    seen
}

#[test]
fn no_mutant_is_the_unchanged_skid_and_every_mutant_is_another() {
    let emitted = emit("mutant_skid", Skid::<64, 4>::default).unwrap();
    let mutated = "mutant_skid:1:100:".parse::<Plan>().unwrap().apply(&emitted);
    assert!(mutated.sites.len() >= 4, "{:?}", mutated.sites);
    let original = behaviour(&model_of(&emitted).unwrap(), None);
    let library = model_of(&mutated.emitted).unwrap();
    assert_eq!(behaviour(&library, Some(0)), original);
    for site in &mutated.sites {
        assert_ne!(behaviour(&library, Some(site.id)), original, "{site:?}");
    }
}
