package io.viaduct.testbed.trace;

/// State of a link from a time on.
///
/// @param timeMs since the start of the trace
/// @param link name, such as `A`
/// @param isUp false for a pulled cable; then the other values are 0
/// @param rttMs round trip time that the link adds; each direction gets one half
/// @param lossPercent of packets, in each direction
/// @param rateMbit of each direction in Mbit/s; 0 for no limit
public record TraceRow(
    long timeMs, String link, boolean isUp, double rttMs, double lossPercent, double rateMbit) {
  static TraceRow down(long timeMs, String link) {
    return new TraceRow(timeMs, link, false, 0, 0, 0);
  }
}
