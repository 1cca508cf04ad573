package io.viaduct.diameter.dictionary;

/// Identifies an AVP.
///
/// @param code 0 to 2³²−1
/// @param vendor Private Enterprise Number, or 0 for the AVPs of the IETF
public record AvpKey(long code, long vendor) {
  private static final long UNSIGNED_32_MAX = 0xFFFF_FFFFL;

  public AvpKey {
    if (code < 0 || code > UNSIGNED_32_MAX || vendor < 0 || vendor > UNSIGNED_32_MAX) {
      throw new IllegalArgumentException("no code or vendor: " + code + ", " + vendor);
    }
  }

  @Override
  public String toString() {
    return vendor == 0 ? Long.toString(code) : code + "/" + vendor;
  }
}
