// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests of verbs and connections between two devices, the same for each backend: `sim:` and
//! `vfio-user:` wherever simulated devices are built; without them (`--no-default-features`, in a
//! guest) the devices that the variable `FERROWARP_DEVICES` names, two URLs with a blank between.

#[cfg(feature = "sim")]
mod carried;
mod connections;
mod ends;
#[cfg(feature = "sim")]
mod epochs;
mod events;
mod faults;
mod limits;
mod memory;
mod pair;
#[cfg(feature = "sim")]
mod simulated;
mod tools;
mod transfers;

/// A test for each case, on the two devices that `$pair` makes for it.
macro_rules! tests {
    ($pair:expr; $($file:ident: $($case:ident)+;)+) => {
        $($(
            #[test]
            fn $case() {
                let name = stringify!($case);
                let pair: crate::pair::Pair = $pair(name);
                pair.tried(crate::$file::$case);
            }
        )+)+
    };
}

/// The name of each case, and the case.
#[cfg(feature = "sim")]
macro_rules! list {
    ($($file:ident: $($case:ident)+;)+) => {
        const CASES: &[(&str, fn(&pair::Pair))] = &[$($((stringify!($case), $file::$case)),+),+];
    };
}

/// Gives all cases to a macro, behind what that macro wants before them.
macro_rules! cases {
    ($macro:ident! $($first:tt)*) => {
        $macro! {
            $($first)*
            connections: private_data_travels_both_ways a_rejection_says_why calls_that_cannot_be_are_typed_errors
                a_disconnect_flushes_what_is_posted a_dropped_connection_is_a_reset several_connections_at_once;
            transfers: messages_arrive_in_order_and_in_pieces writes_land_where_they_belong reads_bring_every_octet
                a_send_invalidates_and_says_so both_sides_at_once
                requests_of_both_sizes_take_turns a_fenced_request_waits_for_reads;
            faults: a_write_to_a_bad_stag a_write_without_the_right a_write_beyond_the_end a_read_of_a_bad_stag
                a_read_of_another_domain a_send_that_is_too_long a_send_without_a_receive our_own_bad_segment;
            events: a_sleeping_thread_is_woken_for_what_it_armed;
            limits: limits_are_told_and_hold full_queues_say_so requests_that_cannot_be_are_typed_errors;
            memory: memory_of_the_application_is_written_where_it_is regions_overlap_and_nest
                memory_that_is_not_there_is_refused;
            tools: pings_come_back every_operation_is_measured a_tour_ends_in_a_refusal a_stranger_is_turned_away
                rping_is_measured a_tour_with_rping;
        }
    };
}

/// All of them, in a module of the backend's name.
macro_rules! backend {
    ($backend:ident, $pair:expr) => {
        mod $backend {
            cases! { tests! $pair; }
        }
    };
}

#[cfg(feature = "sim")]
cases! { list! }
#[cfg(feature = "sim")]
backend!(sim, crate::simulated::sim);
#[cfg(feature = "sim")]
backend!(vfio_user, crate::simulated::vfio_user);
#[cfg(not(feature = "sim"))]
backend!(named, crate::pair::named);
