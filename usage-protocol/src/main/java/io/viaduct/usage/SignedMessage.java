package io.viaduct.usage;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/// What is signed on the control plane: Ed25519 (RFC 8032) over a label, a zero octet and the bytes
/// of the message, so that no signature made for one purpose passes for another.
public enum SignedMessage {
  /// A `SessionToken`, by the bridge.
  SESSION_TOKEN("viaduct session token"),
  /// A `UsageReport`, by the SNAPT that measured it.
  USAGE_REPORT("viaduct usage report"),
  /// A `Receipt`, by the device.
  RECEIPT("viaduct receipt");

  private static final String ALGORITHM = "Ed25519";

  private final byte[] prefix;

  SignedMessage(String label) {
    prefix = (label + '\0').getBytes(StandardCharsets.US_ASCII);
  }

  /// Signs a message; the same message gives the same 64 bytes.
  ///
  /// @param key Ed25519
  /// @throws IllegalArgumentException if it is of another kind
  public ByteString sign(PrivateKey key, ByteString message) {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(key);
      update(signature, message);
      return ByteString.copyFrom(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "must be an Ed25519 private key, is one of " + key.getAlgorithm(), e);
    }
  }

  /// Whether a signature is this key's over this message; false also for one that is none, and for
  /// a key that is no point of the curve.
  public boolean isSignedBy(PublicKey key, ByteString message, ByteString signature) {
    try {
      Signature check = Signature.getInstance(ALGORITHM);
      check.initVerify(key);
      update(check, message);
      return check.verify(signature.toByteArray());
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  private void update(Signature signature, ByteString message) throws GeneralSecurityException {
    signature.update(prefix);
    signature.update(message.asReadOnlyByteBuffer());
  }
}
