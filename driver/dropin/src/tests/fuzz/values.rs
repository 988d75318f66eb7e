// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments that are drawn from a seed: numbers, memory, and objects that live, are of another
//! kind, or were destroyed. A letter names a parameter:
//!
//! | letter | parameter |
//! |---|---|
//! | `c` `p` `m` `q` `k` `h` `d` | context, domain, region, queue pair, completion queue, channel, device: any pointer |
//! | `K` `Z` | a completion queue, a queue pair that lives: the function trusts the pointer |
//! | `L` `V` | null, or a list of devices, an asynchronous event |
//! | `a` | anything |
//! | `i` `u` `b` `j` | number; count; 8 and 16 bits |
//! | `e` `g` `n` `y` | octets of an entry; entries that there is room for; octets; completions |
//! | `o` `O` | room for an answer, `o` also null |
//! | `t` `x` | text; address |
//! | `Q` `A` `w` `r` | null, or attributes of a queue pair to be made, to be changed; requests |
use crate::gen::*;
use crate::live::is_live;
use std::collections::BTreeMap;

/// Octets of memory that the arguments name.
const MEMORY: usize = 1 << 16;
/// Words of a room for an answer, or of a struct.
const ROOM: usize = 512;

/// Objects that were destroyed last, and are still named.
const GONE: usize = 64;

/// What arguments are made of.
pub struct Values {
    state: u64,
    /// Objects by the letter of their kind.
    live: BTreeMap<char, Vec<usize>>,
    gone: Vec<usize>,
    memory: usize,
    /// Memory of the present call.
    rooms: Vec<Box<[u64; ROOM]>>,
}

impl Values {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        let memory = Box::leak(vec![0_u8; MEMORY].into_boxed_slice()).as_mut_ptr().expose_provenance();
        Self { state: seed, live: BTreeMap::new(), gone: vec![], memory, rooms: vec![] }
    }

    /// A number (splitmix64).
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    pub fn one_of(&mut self, all: &[usize]) -> Option<usize> {
        (!all.is_empty()).then(|| all[self.below(all.len())])
    }

    /// An object is there.
    pub fn enter(&mut self, kind: char, object: usize) {
        self.gone.retain(|gone| *gone != object);
        self.live.entry(kind).or_default().push(object);
    }

    /// An object was destroyed.
    pub fn leave(&mut self, kind: char, object: usize) {
        self.live.entry(kind).or_default().retain(|live| *live != object);
        if self.gone.len() == GONE {
            self.gone.remove(0);
        }
        self.gone.push(object);
    }

    /// Objects of a kind, the newest first.
    pub fn objects(&self, kind: char) -> Vec<usize> {
        self.live.get(&kind).into_iter().flatten().rev().copied().collect()
    }

    /// A pointer where the function looks a pointer up.
    pub fn pointer(&mut self, kind: char) -> usize {
        let own = self.objects(kind);
        let all: Vec<_> = self.live.values().flatten().copied().collect();
        // the library may have made something of its own in such a place
        let gone: Vec<_> = self.gone.iter().copied().filter(|&gone| !is_live(gone)).collect();
        match self.below(16) {
            0 => 0,
            1 => self.below(64),
            2 => self.next() as usize,
            3..=4 => self.one_of(&gone).unwrap_or(0),
            5..=6 => self.one_of(&all).unwrap_or(0),
            _ => self.one_of(&own).unwrap_or(0),
        }
    }

    pub fn number(&mut self) -> i32 {
        match self.below(8) {
            0 => -1,
            1 => i32::MAX,
            2 => self.next() as i32,
            3 => 1 << self.below(31),
            _ => self.below(20) as i32,
        }
    }

    /// Memory of this call, with random octets.
    pub fn room(&mut self) -> *mut u64 {
        let octets = std::array::from_fn(|_| self.next());
        self.rooms.push(Box::new(octets));
        self.rooms.last_mut().expect("it was pushed").as_mut_ptr()
    }

    /// A struct of this call.
    pub fn put<T>(&mut self, value: T) -> *mut T {
        let room = self.room().cast::<T>();
        assert!(size_of::<T>() <= ROOM * 8);
        // SAFETY: the room has the octets, and words are aligned for structs of libibverbs.
        unsafe { room.write(value) };
        room
    }

    pub fn null_or<T>(&mut self, make: impl FnOnce(&mut Self) -> *mut T) -> usize {
        if self.below(8) == 0 {
            0
        } else {
            make(self).expose_provenance()
        }
    }

    fn text(&mut self) -> usize {
        let texts = [c"/sys", c"/sys/class/infiniband/ferrowarp0", c"board_id", c"", c"no such file"];
        let nth = self.below(texts.len() + 1);
        texts.get(nth).map_or(0, |text| text.as_ptr().expose_provenance())
    }

    pub fn init(&mut self) -> *mut ibv_qp_init_attr {
        let mut small = || self.below(40) as u32;
        let cap = ibv_qp_cap {
            max_send_wr: small(),
            max_recv_wr: small(),
            max_send_sge: small() % 5,
            max_recv_sge: small() % 5,
            max_inline_data: small() * 3,
        };
        let [send_cq, recv_cq] = ['k'; 2].map(|kind| self.pointer(kind));
        let qp_type = if self.below(4) == 0 { self.number() as u32 } else { IBV_QPT_RC };
        let srq = if self.below(8) == 0 { self.pointer('a') } else { 0 };
        let (send_cq, recv_cq) =
            (std::ptr::with_exposed_provenance_mut(send_cq), std::ptr::with_exposed_provenance_mut(recv_cq));
        let srq = std::ptr::with_exposed_provenance_mut(srq);
        self.put(ibv_qp_init_attr { cap, send_cq, recv_cq, qp_type, srq, ..Default::default() })
    }

    fn changes(&mut self) -> *mut ibv_qp_attr {
        let room = self.room().cast::<ibv_qp_attr>();
        // SAFETY: the room has the octets of the attributes, all of which are numbers.
        unsafe { (*room).qp_state = self.below(9) as u32 };
        room
    }

    fn list(&mut self) -> (*mut ibv_sge, i32) {
        let mut sges = [ibv_sge::default(); 16];
        let keys = self.objects('m');
        for sge in &mut sges {
            let at = self.below(MEMORY / 2);
            sge.addr = (self.memory + at) as u64;
            sge.length = if self.below(8) == 0 { self.next() as u32 } else { self.below(MEMORY / 2) as u32 };
            let mr = self.one_of(&keys).map(std::ptr::with_exposed_provenance::<ibv_mr>);
            // SAFETY: a region that lives.
            sge.lkey = mr.map_or(7, |mr| unsafe { (*mr).lkey });
        }
        let count = [0, 1, 1, 1, 2, 3, 4, 5, 16, -1][self.below(10)];
        (self.put(sges).cast(), count)
    }

    fn sends(&mut self) -> *mut ibv_send_wr {
        let mut next = std::ptr::null_mut();
        for _ in 0..1 + self.below(3) {
            let (sg_list, num_sge) = self.list();
            let opcode = self.below(10) as u32;
            let send_flags = if self.below(8) == 0 { self.next() as u32 } else { self.below(32) as u32 };
            let wr_id = self.next();
            next = self.put(ibv_send_wr {
                wr_id,
                next,
                sg_list,
                num_sge,
                opcode,
                send_flags,
                ..Default::default()
            });
        }
        next
    }

    fn receives(&mut self) -> *mut ibv_recv_wr {
        let mut next = std::ptr::null_mut();
        for _ in 0..1 + self.below(3) {
            let (sg_list, num_sge) = self.list();
            let wr_id = self.next();
            next = self.put(ibv_recv_wr { wr_id, next, sg_list, num_sge });
        }
        next
    }

    /// Of a kind that the program may have been told, and an object that lives.
    fn event(&mut self) -> Option<*mut ibv_async_event> {
        let event_type = self.below(20) as u32;
        let kind = if event_type == IBV_EVENT_CQ_ERR { 'k' } else { 'q' };
        let own = self.objects(kind);
        let at = self.one_of(&own)?;
        let element = ibv_async_event__bindgen_ty_1 { qp: std::ptr::with_exposed_provenance_mut(at) };
        Some(self.put(ibv_async_event { element, event_type }))
    }

    /// The arguments of a call. `None`: nothing lives that the function could trust.
    pub fn arguments(&mut self, takes: &str) -> Option<[usize; 8]> {
        self.rooms.clear();
        let mut words = [0; 8];
        for (word, letter) in words.iter_mut().zip(takes.chars()) {
            *word = self.argument(letter)?;
        }
        Some(words)
    }

    fn argument(&mut self, letter: char) -> Option<usize> {
        let own = self.objects(letter.to_ascii_lowercase());
        Some(match letter {
            'K' => self.one_of(&own)?,
            'Z' => {
                let own = self.objects('q');
                self.one_of(&own)?
            }
            'L' => self.one_of(&own).unwrap_or(0),
            'V' => match self.below(4) {
                0 => 0,
                _ => self.event()?.expose_provenance(),
            },
            'i' => self.number() as usize,
            'u' => self.below(100),
            'b' => {
                let most = [3, 256][self.below(2)];
                self.below(most)
            }
            'j' => [0xFFFF, 0, 1][self.below(3)],
            'e' => self.below(65),
            'g' => self.below(65),
            'n' => match self.below(8) {
                0 => 0,
                1 => self.next() as usize,
                _ => 1 + self.below(MEMORY / 2),
            },
            'y' => self.below(66).wrapping_sub(1),
            'o' => self.null_or(Self::room),
            'O' => self.room().expose_provenance(),
            't' => self.text(),
            'x' => match self.below(8) {
                0 => 0,
                1 => self.next() as usize,
                _ => self.memory + self.below(MEMORY / 2),
            },
            'Q' => self.null_or(Self::init),
            'A' => self.null_or(Self::changes),
            'w' => self.null_or(Self::sends),
            'r' => self.null_or(Self::receives),
            'a' => match self.below(3) {
                0 => self.number() as usize,
                1 => self.room().expose_provenance(),
                _ => self.pointer('c'),
            },
            other => self.argument_of_cm(other),
        })
    }
}
