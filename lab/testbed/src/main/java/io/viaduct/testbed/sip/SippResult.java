package io.viaduct.testbed.sip;

/// The result of one run of sipp.
///
/// @param rate exchanges that were begun per second
/// @param succeeded exchanges that ended as they should
/// @param failed exchanges that got another answer or none
/// @param refused those of them that got another answer: 503 from a server that has too much to do
/// @param retransmissions requests that sipp sent again
/// @param p50Ms median time of an exchange that succeeded; NaN without one
/// @param p99Ms that of the slowest hundredth
/// @param processorUs processor time of the server per exchange that was begun
/// @param residentMib memory of the server at the end
record SippResult(
    int rate,
    long succeeded,
    long failed,
    long refused,
    long retransmissions,
    double p50Ms,
    double p99Ms,
    double processorUs,
    double residentMib) {
  /// Returns whether the server keeps up: nothing failed, and nothing had to be sent again.
  boolean isClean() {
    return succeeded > 0 && failed == 0 && retransmissions == 0;
  }

  /// Returns the share of the exchanges that succeeded, in percent.
  double succeededPercent() {
    return percent(succeeded);
  }

  /// Returns the share of the exchanges that were refused, in percent.
  double refusedPercent() {
    return percent(refused);
  }

  /// Returns the share of the exchanges that got no final answer, in percent.
  double unansweredPercent() {
    return percent(failed - refused);
  }

  private double percent(long part) {
    return 100.0 * part / Math.max(1, succeeded + failed);
  }
}
