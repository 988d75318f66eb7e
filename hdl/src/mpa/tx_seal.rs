// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c into the last word of an FPDU.
use crate::prelude::*;
use crate::stream::{CrcWords, StreamSource};

/// Computes the CRC32c of all words of an FPDU but the last and puts it there, least significant
/// octet first.
///
/// Two registers: the beat's own share of the sum, then the running register (the CRC is linear).
/// All of it moves with `tx.ready`.
#[block]
pub struct TxSeal<const W: usize, const K: usize> {
    /// Words of an FPDU, the first in bits 31:0.
    pub m_data: Signal<In, Bits<W>>,
    /// How many.
    pub m_words: Signal<In, Bits<K>>,
    /// Last beat: its last word is the CRC field, now zero.
    pub m_last: Signal<In, Bit>,
    /// With `m_last`: the FPDU is bad.
    pub m_err: Signal<In, Bit>,
    /// Fill the CRC field.
    pub m_crc: Signal<In, Bit>,
    /// The beat is there.
    pub m_valid: Signal<In, Bit>,
    /// It is taken.
    pub go: Signal<Out, Bit>,
    /// FPDUs.
    pub tx: StreamSource<W, K>,
    share: CrcWords<W, K>,
    running: CrcWords<W, K>,
    // Step 1: with the beat's share.
    c_data: Flop<Bits<W>>,
    c_words: Flop<Bits<K>>,
    c_covered: Flop<Bits<K>>,
    c_last: Flop<Bit>,
    c_err: Flop<Bit>,
    c_crc: Flop<Bit>,
    c_share: Flop<Bits<32>>,
    c_valid: Reg<Bit>,
    // Step 2: with the sum so far.
    state: Reg<Bits<32>>,
    d_data: Flop<Bits<W>>,
    d_words: Flop<Bits<K>>,
    d_covered: Flop<Bits<K>>,
    d_last: Flop<Bit>,
    d_err: Flop<Bit>,
    d_seal: Flop<Bits<32>>,
    d_valid: Reg<Bit>,
    ones: Const<Bits<32>>,
    nothing: Const<Bits<W>>,
    zero: Const<Bits<32>>,
    covered: Signal<Local, Bits<K>>,
}

impl<const W: usize, const K: usize> TxSeal<W, K> {
    /// A sealer between FPDUs.
    pub fn new() -> Self {
        Self {
            share: CrcWords::new(),
            running: CrcWords::new(),
            state: Reg::new(0xFFFF_FFFF_u64.into()),
            ones: Const::of(0xFFFF_FFFF),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for TxSeal<W, K> {
    fn update(&mut self) {
        regs!(c_valid, state, d_valid);
        flops!(c_data, c_words, c_covered, c_last, c_err, c_crc, c_share, d_data, d_words, d_covered);
        flops!(d_last, d_err, d_seal);
        self.go.next = self.tx.ready.val();

        self.covered.next = self.m_words.val();
        if self.m_last.val() {
            self.covered.next = self.m_words.val() - 1;
        }
        self.share.state.next = self.zero.val();
        self.share.data.next = self.m_data.val();
        self.share.words.next = self.covered.val();

        self.running.state.next = self.state.q.val();
        self.running.data.next = self.nothing.val();
        self.running.words.next = self.c_covered.q.val();
        let sum: Bits<32> = self.running.out.val() ^ self.c_share.q.val();

        // The field holds zeros: the seal is put over them. Without CRC the seal is zero.
        let up: Bits<16> = bit_cast::<16, K>(self.d_covered.q.val()) << 5;
        self.tx.data.next = self.d_data.q.val();
        if self.d_last.q.val() {
            self.tx.data.next = self.d_data.q.val() | (bit_cast::<W, 32>(self.d_seal.q.val()) << up);
        }
        self.tx.bytes.next = self.d_words.q.val() << 2;
        self.tx.last.next = self.d_last.q.val();
        self.tx.err.next = self.d_last.q.val() && self.d_err.q.val();
        self.tx.valid.next = self.d_valid.q.val();

        if self.tx.ready.val() {
            self.c_valid.d.next = self.m_valid.val();
            self.c_data.d.next = self.m_data.val();
            self.c_words.d.next = self.m_words.val();
            self.c_covered.d.next = self.covered.val();
            self.c_last.d.next = self.m_last.val();
            self.c_err.d.next = self.m_err.val();
            self.c_crc.d.next = self.m_crc.val();
            self.c_share.d.next = self.share.out.val();
            self.d_valid.d.next = self.c_valid.q.val();
            self.d_data.d.next = self.c_data.q.val();
            self.d_words.d.next = self.c_words.q.val();
            self.d_covered.d.next = self.c_covered.q.val();
            self.d_last.d.next = self.c_last.q.val();
            self.d_err.d.next = self.c_err.q.val();
            self.d_seal.d.next = self.zero.val();
            if self.c_crc.q.val() {
                self.d_seal.d.next = sum ^ self.ones.val();
            }
            if self.c_valid.q.val() {
                self.state.d.next = sum;
                if self.c_last.q.val() {
                    self.state.d.next = self.ones.val();
                }
            }
        }
    }
}
