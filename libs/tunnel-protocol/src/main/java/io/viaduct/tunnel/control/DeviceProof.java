package io.viaduct.tunnel.control;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;

/// Proves that the device holds the key that its token names. The proof is an Ed25519 signature
/// (RFC 8032) over `"viaduct device proof\0"` and the connection's exported keying material (RFC
/// 8446 §7.5). So a proof is valid for one connection only.
public final class DeviceProof {
  public static final String EXPORTER_LABEL = "EXPORTER-viaduct-device-proof";
  public static final int EXPORTER_BYTES = 32;
  public static final int SIGNATURE_BYTES = 64;
  private static final byte[] PREFIX = "viaduct device proof\0".getBytes(StandardCharsets.US_ASCII);

  private DeviceProof() {}

  /// Returns the bytes that are signed.
  public static byte[] message(byte[] exporter) {
    if (exporter.length != EXPORTER_BYTES) {
      throw new IllegalArgumentException(
          "exported keying material has "
              + exporter.length
              + " bytes, must have "
              + EXPORTER_BYTES);
    }
    byte[] message = new byte[PREFIX.length + exporter.length];
    System.arraycopy(PREFIX, 0, message, 0, PREFIX.length);
    System.arraycopy(exporter, 0, message, PREFIX.length, exporter.length);
    return message;
  }

  public static byte[] sign(PrivateKey deviceKey, byte[] exporter) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(deviceKey);
    signature.update(message(exporter));
    return signature.sign();
  }

  /// Verifies a proof. @return false also if the bytes are no signature at all
  public static boolean verify(PublicKey deviceKey, byte[] exporter, byte[] proof)
      throws GeneralSecurityException {
    if (proof.length != SIGNATURE_BYTES) {
      return false;
    }
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(deviceKey);
    signature.update(message(exporter));
    try {
      return signature.verify(proof);
    } catch (SignatureException e) {
      return false; // 64 bytes that encode no point of the curve
    }
  }
}
