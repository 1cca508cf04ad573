package io.viaduct.billing.provisioning;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// The keys of a subscriber's card (3GPP TS 35.206). They never appear in logs or in [#toString].
///
/// @param k 16 bytes
/// @param opc 16 bytes
/// @param amf authentication management field, 2 bytes
public record Card(byte[] k, byte[] opc, byte[] amf) {
  static final int KEY_BYTES = 16;
  static final int AMF_BYTES = 2;

  public Card {
    if (k.length != KEY_BYTES || opc.length != KEY_BYTES || amf.length != AMF_BYTES) {
      throw new IllegalArgumentException("k and opc must have 16 bytes, amf 2");
    }
  }

  /// Reads the keys of a card as people write them.
  ///
  /// @param k 32 hexadecimal digits
  /// @param opc 32 hexadecimal digits; null if OP is given
  /// @param op 32 hexadecimal digits; null if OPc is given
  /// @param amf 4 hexadecimal digits; null for 0000
  /// @throws IllegalArgumentException naming the key and its rule, and not its value, which is
  ///   secret
  public static Card of(String k, @Nullable String opc, @Nullable String op, @Nullable String amf) {
    byte[] key = octets("k", k, KEY_BYTES);
    if ((opc == null) == (op == null)) {
      throw new IllegalArgumentException("give either opc or op, not both or none");
    }
    return new Card(
        key,
        opc != null
            ? octets("opc", opc, KEY_BYTES)
            : opc(key, octets("op", String.valueOf(op), KEY_BYTES)),
        octets("amf", amf == null ? "0000" : amf, AMF_BYTES));
  }

  private static byte[] octets(String name, String digits, int bytes) {
    if (!digits.matches("[0-9a-fA-F]{" + 2 * bytes + "}")) {
      throw new IllegalArgumentException(name + " must be " + 2 * bytes + " hexadecimal digits");
    }
    return HexFormat.of().parseHex(digits);
  }

  /// Returns OPc of a card whose operator gives OP: OP encrypted with K, xor OP.
  // Milenage is defined on single blocks, so there is no mode and no padding.
  @SuppressWarnings("InsecureCryptoUsage")
  public static byte[] opc(byte[] k, byte[] op) {
    try {
      Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(k, "AES"));
      byte[] opc = cipher.doFinal(op);
      for (int i = 0; i < opc.length; i++) {
        opc[i] ^= op[i];
      }
      return opc;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has AES", e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Card(byte[] otherK, byte[] otherOpc, byte[] otherAmf)
        && MessageDigest.isEqual(k, otherK)
        && MessageDigest.isEqual(opc, otherOpc)
        && Arrays.equals(amf, otherAmf);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(k) + Arrays.hashCode(opc);
  }

  @Override
  public String toString() {
    return "Card[(secret)]";
  }
}
