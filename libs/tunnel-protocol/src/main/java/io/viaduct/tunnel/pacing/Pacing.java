package io.viaduct.tunnel.pacing;

/// Value of the configuration key `pacing`: the rate at which a session's datagrams are spaced.
///
/// @param bitPerSecond rate of outer IP packets; 0 for the path's measured rate, −1 for no limit
public record Pacing(long bitPerSecond) {
  /// Paces at the measured rate of the path.
  public static final Pacing AUTO = new Pacing(0);

  /// Sends as fast as the socket accepts datagrams.
  public static final Pacing OFF = new Pacing(-1);

  private static final long LEAST = 64_000;
  private static final long MOST = 100_000_000_000L;

  public Pacing {
    if (bitPerSecond < -1 || bitPerSecond > MOST || bitPerSecond > 0 && bitPerSecond < LEAST) {
      throw refused(String.valueOf(bitPerSecond));
    }
  }

  /// Returns the pacing that a configuration file names: `auto`, `off`, or bits per second.
  public static Pacing of(String word) {
    return switch (word) {
      case "auto" -> AUTO;
      case "off", "false" -> OFF; // YAML 1.1 reads a bare off as a truth value
      default -> fixed(word);
    };
  }

  private static Pacing fixed(String word) {
    long rate;
    try {
      rate = Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw refused(word);
    }
    if (rate <= 0) {
      throw refused(word);
    }
    return new Pacing(rate);
  }

  private static IllegalArgumentException refused(String value) {
    return new IllegalArgumentException(
        "pacing must be auto, off, or a rate from %d to %d bit/s, got '%s'"
            .formatted(LEAST, MOST, value));
  }

  @Override
  public String toString() {
    return bitPerSecond == 0 ? "auto" : bitPerSecond < 0 ? "off" : String.valueOf(bitPerSecond);
  }
}
