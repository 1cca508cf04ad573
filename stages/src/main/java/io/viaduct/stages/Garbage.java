package io.viaduct.stages;

import java.util.regex.Pattern;

/// How many bytes an operation of a stage may leave to the collector.
enum Garbage {
  /// Code of Viaduct: nothing. Below one byte lies what is made once in many operations, such as a
  /// table that grows.
  NONE(1),
  /// Text with histories: of each dictionary, which is one in some bursts, zstd's objects and the
  /// tables of its coder.
  DICTIONARIES(1024),
  /// A cipher of the JDK: 1 KiB per sealed datagram or long body.
  CIPHER_OF_THE_JDK(1024),
  /// The JDK's ChaCha20-Poly1305 makes twice as much, over long bodies only, which are up to 47
  /// datagrams each.
  LONG_CHACHA20_OF_THE_JDK(2304),
  /// The JDK's AES at both ends: sealed at one, opened at the other.
  BOTH_CIPHERS_OF_THE_JDK(2048),
  /// A provider that we do not use, or only where libsodium cannot be loaded and AES has no
  /// instructions: what it makes is only printed.
  ANY(Double.POSITIVE_INFINITY);

  /// What JMH itself makes in a round, however long it is and whatever is measured: 25 to 140 kB
  /// here.
  private static final double HARNESS_BYTES = 160_000;

  /// Superpackets are sealed as long bodies, by the JDK (ADR 0023).
  private static final Pattern LONG_BODIES = Pattern.compile("cipher fastest.*SUPERPACKET");

  private static final Pattern NOT_USED =
      Pattern.compile("AMAZON_|CONSCRYPT_|BOUNCY_CASTLE_|JDK_CHACHA20");

  private final double bytesMax;

  Garbage(double bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// @param ns of an operation
  /// @param roundNs of a round
  double bytesMax(double ns, double roundNs) {
    return bytesMax + HARNESS_BYTES * ns / roundNs;
  }

  /// @param stage its name, as in the table
  /// @param parameters of the benchmark, as JMH prints them
  static Garbage allowed(String stage, String parameters) {
    if (NOT_USED.matcher(parameters).find()) {
      return ANY;
    }
    if (LONG_BODIES.matcher(parameters).find()) {
      return BOTH_CIPHERS_OF_THE_JDK;
    }
    if (stage.contains("History")) {
      return DICTIONARIES;
    }
    if (stage.contains("Long") && parameters.contains("CHACHA20")) {
      return LONG_CHACHA20_OF_THE_JDK;
    }
    return parameters.contains("JDK_") || stage.contains("Long") ? CIPHER_OF_THE_JDK : NONE;
  }
}
