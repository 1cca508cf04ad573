package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;

/// Load of one direction of the line to a SNAPT.
///
/// @param bitPerSecond rate of outer IP packets that the line is known to carry; infinite while it
///   has never been full
/// @param takenBitPerSecond rate of each class, with what waits for the line as if it left within a
///   second
public record LineLoad(double bitPerSecond, double[] takenBitPerSecond) {
  /// Nothing is known, and nothing is carried.
  public static final LineLoad UNKNOWN =
      new LineLoad(Double.POSITIVE_INFINITY, new double[ServiceClass.COUNT]);

  /// Checks that there is a rate for each class.
  public LineLoad {
    if (takenBitPerSecond.length != ServiceClass.COUNT) {
      throw new IllegalArgumentException(
          "there must be a rate for each of %d classes, got %d"
              .formatted(ServiceClass.COUNT, takenBitPerSecond.length));
    }
    takenBitPerSecond = takenBitPerSecond.clone();
  }

  /// Returns the rate that a class could have in addition, in bit/s: lower classes give way to it,
  /// because packets are sent by strict priority.
  public double spareBitPerSecond(ServiceClass of) {
    double taken = 0;
    for (int c = 0; c <= of.ordinal(); c++) {
      taken += takenBitPerSecond[c];
    }
    return Math.max(0, bitPerSecond - taken);
  }

  /// Returns this line with the traffic of another one that shares its rate.
  LineLoad and(LineLoad other) {
    double[] taken = takenBitPerSecond.clone();
    for (int c = 0; c < taken.length; c++) {
      taken[c] += other.takenBitPerSecond[c];
    }
    return new LineLoad(bitPerSecond, taken);
  }

  @Override
  public double[] takenBitPerSecond() {
    return takenBitPerSecond.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LineLoad that
        && Double.compare(bitPerSecond, that.bitPerSecond) == 0
        && Arrays.equals(takenBitPerSecond, that.takenBitPerSecond);
  }

  @Override
  public int hashCode() {
    return Double.hashCode(bitPerSecond);
  }

  @Override
  public String toString() {
    return "%.0f bit/s, taken %s".formatted(bitPerSecond, Arrays.toString(takenBitPerSecond));
  }
}
