package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import java.util.HexFormat;

/// Hashes as lower-case hexadecimal digits.
public final class Hex {
  private static final HexFormat DIGITS = HexFormat.of();

  private Hex() {}

  public static String of(ByteString octets) {
    return DIGITS.formatHex(octets.toByteArray());
  }
}
