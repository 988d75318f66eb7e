// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of a board at its RGMII pins, with the whole device in it.
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;
use ferrowarp_abi::consts::csr_identity::MAGIC;
use ferrowarp_sim::carrier::{CarriedBus, CarrierConfig};
use ferrowarp_sim::pcie::BusState;
use ferrowarp_sim::rgmii::{board_model, BoardTop};
use ferrowarp_tests::{board, rnic_1g};

/// Longest simulated time, nanoseconds.
const LONGEST: u64 = 20_000_000;

/// PLL, resets, DDR cells, MAC, carrier and device, in the order of a bitstream.
#[test]
fn a_host_reads_the_identity_register_through_the_pins_of_the_board() {
    let config = rnic_1g::config();
    let library = board_model(&board::text("ecpix5", "clk100").unwrap(), &config).unwrap();
    let mut top = BoardTop::new(&library, config.clock_khz, 1).unwrap();
    // times of a host that is not slower than the device
    let times = CarrierConfig { hello_ns: 200_000, replay_ns: 200_000, ..CarrierConfig::default() };
    let mut bus = CarriedBus::new(times, 1);
    let mut read = None;
    let answer = loop {
        top.step().unwrap();
        let now = top.now();
        assert!(now < LONGEST, "no answer: {bus:?}, {} bad frames", top.phy().bad());
        while let Some(frame) = top.phy().receive() {
            assert_eq!(frame[12..14], ETHER_TYPE.to_be_bytes(), "the device sends nothing by itself");
            bus.frame_came(now, &frame);
        }
        if top.phy().is_free() {
            bus.poll(now).iter().for_each(|frame| top.phy().send(frame));
        }
        if bus.link() == BusState::Up && read.is_none() {
            read = Some(bus.root().bar_read(0, 0, 4));
        }
        if let Some(answer) = bus.root().take_answers().pop() {
            break answer;
        }
    };
    assert_eq!((Some(answer.tag), answer.data), (read, MAGIC.to_le_bytes().to_vec()));
    assert_eq!(top.phy().bad(), 0, "frames of the board with a wrong FCS");
}
