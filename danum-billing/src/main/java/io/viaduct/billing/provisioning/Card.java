package io.viaduct.billing.provisioning;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
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
