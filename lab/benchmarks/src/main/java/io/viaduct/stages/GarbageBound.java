package io.viaduct.stages;

import java.util.regex.Pattern;

/// Bytes that an operation of a stage may allocate.
enum GarbageBound {
  /// Viaduct's own code allocates nothing. The bound of one byte allows for allocations that happen
  /// once in many operations, such as a growing table.
  NONE(1),
  /// Text with histories: each dictionary, one in some bursts, allocates zstd's objects and the
  /// tables of its coder.
  DICTIONARIES(1024),
  /// A cipher of the JDK: 1 KiB per sealed datagram or long body.
  CIPHER_OF_THE_JDK(1024),
  /// The JDK's ChaCha20-Poly1305 allocates twice as much, but only for long bodies of up to 47
  /// datagrams each.
  LONG_CHACHA20_OF_THE_JDK(2304),
  /// The JDK's AES at both ends: one seals, the other opens.
  BOTH_CIPHERS_OF_THE_JDK(2048),
  /// A provider that is not used, or used only without libsodium and without AES instructions. The
  /// report only prints its garbage.
  ANY(Double.POSITIVE_INFINITY);

  /// Bytes that JMH itself allocates in a round of any length and of any benchmark: 25 to 140 kB
  /// here.
  private static final double HARNESS_BYTES = 160_000;

  /// Superpackets are sealed as long bodies, by the JDK (ADR 0023).
  private static final Pattern LONG_BODIES = Pattern.compile("cipher fastest.*SUPERPACKET");

  private static final Pattern NOT_USED =
      Pattern.compile("AMAZON_|CONSCRYPT_|BOUNCY_CASTLE_|JDK_CHACHA20");

  private final double bytesMax;

  GarbageBound(double bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// Returns the bound in bytes per operation.
  ///
  /// @param ns duration of an operation
  /// @param roundNs duration of a round
  double bytesMax(double ns, double roundNs) {
    return bytesMax + HARNESS_BYTES * ns / roundNs;
  }

  /// Returns the bound of a benchmark.
  ///
  /// @param stage name of the benchmark in the table
  /// @param parameters of the benchmark, as JMH prints them
  static GarbageBound allowed(String stage, String parameters) {
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
