package io.viaduct.stages;

/// How many bytes an operation of a stage may leave to the collector.
enum Garbage {
  /// Code of Viaduct: nothing. Below one byte lies what JMH itself makes, spread over the
  /// operations.
  NONE(1),
  /// A cipher of the JDK: 1 KiB per sealed datagram.
  CIPHER_OF_THE_JDK(1024);

  private final double bytesMax;

  Garbage(double bytesMax) {
    this.bytesMax = bytesMax;
  }

  double bytesMax() {
    return bytesMax;
  }

  /// @param parameters of the benchmark, as JMH prints them
  static Garbage allowed(String parameters) {
    return parameters.contains("JDK_") ? CIPHER_OF_THE_JDK : NONE;
  }
}
