package io.viaduct.cnapt.mobility;

/// Notices that the device has slept or that the agent's process was frozen: much more time has
/// passed between two ticks than their period, by either clock. The monotonic clock stands still
/// while a machine is suspended; the wall clock does not, but a step by NTP moves it too. Such a
/// step costs one probe and one registration. Owner: the event loop that ticks.
public final class SleepWatch {
  /// Period of the ticks, in ms. It bounds the time until a sleep is noticed.
  public static final long PERIOD_MS = 500;

  /// Shortest time between two ticks, in ms, that is a sleep: longer than any pause of a busy
  /// machine.
  static final long ASLEEP_MS = 5_000;

  private long lastMs;
  private long lastNs;

  /// @param nowMs wall clock
  /// @param nowNs monotonic clock
  public SleepWatch(long nowMs, long nowNs) {
    lastMs = nowMs;
    lastNs = nowNs;
  }

  /// Takes one tick.
  ///
  /// @return length of the sleep that has just ended, in ms; 0 if there was none
  public long tick(long nowMs, long nowNs) {
    long passedMs = Math.max(nowMs - lastMs, (nowNs - lastNs) / 1_000_000);
    lastMs = nowMs;
    lastNs = nowNs;
    return passedMs >= ASLEEP_MS ? passedMs : 0;
  }
}
