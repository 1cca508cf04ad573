package io.viaduct.tunnel.path;

/// The probes of a path since the session began, at the end that sends them.
///
/// @param sent all of them
/// @param answered those whose answer has come
/// @param answeredAgoMs time since the last answer, in ms; −1 before the first one
public record ProbeCounts(long sent, long answered, double answeredAgoMs) {
  /// Those of a path that is not probed from here.
  public static final ProbeCounts NONE = new ProbeCounts(0, 0, -1);
}
