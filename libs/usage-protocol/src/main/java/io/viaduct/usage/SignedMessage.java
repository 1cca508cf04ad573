package io.viaduct.usage;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;

/// Kinds of signed messages of the control plane. A signature is Ed25519 (RFC 8032) over a label, a
/// zero octet and the bytes of the message. The label prevents that a signature of one kind is
/// accepted for another.
public enum SignedMessage {
  /// A `SessionToken`, signed by the bridge.
  SESSION_TOKEN("viaduct session token"),
  /// A `Directory` of SNAPTs, signed by the bridge and carried by SNAPTs.
  SNAPT_DIRECTORY("viaduct snapt directory"),
  /// A `UsageReport`, signed by the SNAPT that measured it.
  USAGE_REPORT("viaduct usage report"),
  /// A `UsageReport` without its `relays_digest`, signed by the SNAPT: the salt of its relays.
  REPORT_RELAYS("viaduct report relays"),
  /// A `Receipt`, signed by the device.
  RECEIPT("viaduct receipt"),
  /// A `DeviceReport`, signed by the device.
  DEVICE_REPORT("viaduct device report"),
  /// The hash of a receipt of an account's statement, signed by billing.
  STATEMENT_RECEIPT("viaduct statement receipt"),
  /// The hash of the root of a day's statements, signed by billing.
  STATEMENT_ROOT("viaduct statement root"),
  /// The hash of a file with a statement, signed by billing.
  STATEMENT_FILE("viaduct statement file");

  private static final String ALGORITHM = "Ed25519";

  private final byte[] prefix;

  SignedMessage(String label) {
    prefix = (label + '\0').getBytes(StandardCharsets.US_ASCII);
  }

  /// Signs a message; the same message gives the same 64 bytes.
  ///
  /// @param key Ed25519
  /// @throws IllegalArgumentException if the key is of another algorithm
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

  /// Returns true if a signature over this message is by a key. Returns false for a malformed
  /// signature, and for a key that is no point of the curve.
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
