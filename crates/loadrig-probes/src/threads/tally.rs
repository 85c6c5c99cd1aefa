//! Looks added up to mean numbers of threads, so that they agree with what the kernel counts exactly.
//!
//! A look tells which threads want a core, not which of them have one, and who looks takes a core itself. The
//! time that threads ran and waited for a core is counted by the kernel, so the looks decide only how the
//! rest of the threads' time is divided.

use super::state::{STATES, State};

/// Mean numbers of threads by state.
pub(crate) type Means = [f64; STATES];

/// Means after they were brought to agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settled {
    pub(crate) means: Means,
    /// By how much the numbers of waiting threads were changed.
    pub(crate) factor: f64,
}

/// Brings looks to agreement with the exact times. The sum over all states stays.
///
/// seen: means of the looks, in which `Running` holds all that run or could run. exact: mean numbers of
/// threads that ran and that waited for a core; None where the kernel does not count them.
pub(crate) fn settled(seen: &Means, exact: Option<(f64, f64)>) -> Settled {
    let (running, runnable) = (State::Running.place(), State::Runnable.place());
    let all: f64 = seen.iter().sum();
    let ready = seen[running] + seen[runnable];
    let waiting = all - ready;
    let mut means = *seen;
    let Some((ran, delayed)) = exact else { return Settled { means, factor: 1.0 } };
    let busy = ran + delayed;
    if busy <= 0.0 {
        // Nobody has run: whoever was seen to want a core has not got one.
        means[running] = 0.0;
        means[runnable] = ready;
        return Settled { means, factor: 1.0 };
    }
    // Nobody was seen to wait, or the time was counted late: the shares stand, and the sum.
    let scale = if waiting <= 0.0 || busy > all { all / busy } else { 1.0 };
    means[running] = ran * scale;
    means[runnable] = delayed * scale;
    let factor = if waiting > 0.0 { (all - busy * scale).max(0.0) / waiting } else { 1.0 };
    for (place, mean) in means.iter_mut().enumerate() {
        if place != running && place != runnable {
            *mean *= factor;
        }
    }
    Settled { means, factor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(pairs: &[(State, f64)]) -> Means {
        let mut means = [0.0; STATES];
        for (state, mean) in pairs {
            means[state.place()] = *mean;
        }
        means
    }

    fn is_near(one: &Means, two: &Means) -> bool {
        one.iter().zip(two).all(|(a, b)| (a - b).abs() < 1e-9)
    }

    #[test]
    fn what_the_kernel_counts_stands_and_the_looks_divide_the_rest() {
        let looks = seen(&[(State::Running, 3.0), (State::Futex, 6.0), (State::Reading, 3.0)]);
        let settled = settled(&looks, Some((1.0, 2.0)));
        assert!(is_near(
            &settled.means,
            &seen(&[
                (State::Running, 1.0),
                (State::Runnable, 2.0),
                (State::Futex, 6.0),
                (State::Reading, 3.0),
            ])
        ));
        let fewer = super::settled(&looks, Some((1.0, 0.5)));
        assert!((fewer.means[State::Futex.place()] - 7.0).abs() < 1e-9);
        assert!((fewer.means[State::Reading.place()] - 3.5).abs() < 1e-9);
    }

    #[test]
    fn who_wants_a_core_and_never_ran_is_runnable() {
        let settled = settled(&seen(&[(State::Running, 2.0)]), Some((0.0, 0.0)));
        assert!(is_near(&settled.means, &seen(&[(State::Runnable, 2.0)])));
    }

    #[test]
    fn without_exact_times_the_looks_stand() {
        let looks = seen(&[(State::Running, 2.0), (State::Disk, 1.0)]);
        assert!(is_near(&settled(&looks, None).means, &looks));
    }

    proptest! {
        #[test]
        fn the_threads_add_up_whatever_is_counted(
            looks in prop::array::uniform14(0.0..50.0_f64), ran in 0.0..20.0_f64, delayed in 0.0..900.0_f64,
        ) {
            let after = settled(&looks, Some((ran, delayed))).means;
            let sum = |means: &Means| means.iter().sum::<f64>();
            prop_assert!((sum(&after) - sum(&looks)).abs() < 1e-6 * sum(&looks).max(1.0));
            prop_assert!(after.iter().all(|mean| *mean >= 0.0 && mean.is_finite()));
        }
    }
}
