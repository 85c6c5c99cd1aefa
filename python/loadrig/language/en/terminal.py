"""Words of the terminal while a run goes on, in English."""


class TerminalTexts:
    """Words of the screen, the block and the lines that tell of a run while it goes on."""

    starting = "starting the target"
    reaching = "looking at the target, which runs already"
    warm_up = "warming up"
    measuring = "measuring"
    draining = "waiting for the last responses"
    stopping = "stopping the target"
    leaving = "reading the last figures of the target, which runs on"
    waiting_for_run = "waiting for the run"
    between_trials = "between two trials"
    over = "over"
    folder_gone = "the folder of the run is gone"
    now = "now"
    answered = "answered"
    failed = "failed"
    in_flight = "in flight"
    generator = "generator"
    latency = "latency"
    a_request = "a request"
    outcomes = "outcomes"
    note = "note"
    setting = "setting"
    trials = "trials"
    rates_title = "due, answered, failed"
    trial_void = "void"
    trial_failed = "failed"
    valid = "valid"
    disturbed = "disturbed"
    void = "void"
    run_over = "the run is over"
    nothing_to_prove = "there is nothing to prove: no cause is accused"

    def of_at_most(self, longest: str) -> str:
        return f" of at most {longest}"

    def at_most(self, longest: str) -> str:
        return f", at most {longest}"

    def phase_progress(self, phase: str, elapsed: str, longest: str) -> str:
        return f"{phase}  {elapsed} s of at most {longest}"

    def trial_of(self, number: str, total: str) -> str:
        return f"trial {number} of {total}"

    def time_left(self, time: str) -> str:
        return f"about {time} left"

    def trial_of_with_time_left(self, number: str, total: str, time: str) -> str:
        return f"trial {number} of {total}, about {time} left"

    def rate_of_due(self, answered: str, due: str) -> str:
        return f"{answered}/s of {due}"

    def up_to(self, top: str) -> str:
        return f"up to {top}"

    def cores(self, number: str) -> str:
        return f"{number} cores"

    def share_of(self, share: str, total: str) -> str:
        return f" {share} of {total}"

    def noted(self, note: str) -> str:
        return f"note: {note}"

    def trial_over(self, number: str, setting: str, rate: str, verdict: str) -> str:
        return f"trial {number}  {setting}  {rate}  {verdict}"

    def failed_rate(self, rate: str) -> str:
        return f"  failed {rate}/s"

    def second(self, at: str, answered: str, due: str, failed: str, times: str, in_flight: str) -> str:
        return f"{at}  answered {answered}/s of {due}{failed}  {times}  in flight {in_flight}"

    def users(self, number: str) -> str:
        return f"   {number} users"

    def lag(self, time: str) -> str:
        return f", {time} late (p99)"

    def share_of_a_core(self, share: str, lag: str) -> str:
        return f"{share} of a core{lag}"

    def more_above(self, number: str) -> str:
        return f"and {number} more above"

    def done_before(self, number: str) -> str:
        return f", {number} done before"

    def study_begins(self, total: str, before: str, time: str) -> str:
        return f"  {total} trials{before}, about {time}"

    def trial_done(self, count: str, total: str, setting: str, outcome: str, left: str) -> str:
        return f"  {count} of {total}  {setting}: {outcome}  ({left} left)"

    def not_told_in_time(self, seconds: str, run: str) -> str:
        return (
            f"--out: the receivers did not get all data within {seconds} s after the run's end; the recording"
            f" is complete: loadrig export {run} --to FORMAT"
        )

    def watch_it(self, address: str) -> str:
        return f"watch it: {address}"

    def proving(self, plan: str, longest: str) -> str:
        return f"proving what limits {plan}, at most {longest}"

    def not_answered(self, seconds: str) -> str:
        return f"not answered within {seconds} s: the load may be over, or not have begun"

    def refused(self, why: str) -> str:
        return f"refused: {why}"

    run_begun = "begun"
    run_name = "run"
    run_answer = "answer"

    def runs_listed(self, listed: str, total: str, folder: str) -> str:
        return f"{listed} of {total} runs below {folder}"
