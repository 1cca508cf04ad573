package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.usage.SignedMessage;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/// The device's Ed25519 key. Makes proofs of possession that are valid for one TLS connection only
/// (docs/protocol.md section 5).
public final class DeviceIdentity {
  private final KeyPair pair;

  private DeviceIdentity(KeyPair pair) {
    this.pair = pair;
  }

  /// @param file PKCS#8 PEM
  /// @throws io.viaduct.service.configuration.ConfigurationException if the file has no such key;
  ///   the message names the file and the rule
  public static DeviceIdentity read(Path file) {
    return new DeviceIdentity(Ed25519.readPair(file));
  }

  /// Returns the public key, 32 raw bytes (RFC 8032 section 5.1.2).
  public byte[] publicKey() {
    return Ed25519.raw((EdECPublicKey) pair.getPublic());
  }

  /// Signs the exporter of this connection, which only its two ends can compute (RFC 8446 section
  /// 7.5).
  ///
  /// @throws SSLException if the connection cannot export
  byte[] proof(SSLSession tls) throws SSLException {
    if (!(tls instanceof ExtendedSSLSession session)) {
      throw new SSLException("this TLS provider exports no keying material: use the JDK's of 25");
    }
    byte[] exporter =
        session.exportKeyingMaterialData(
            DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
    try {
      return DeviceProof.sign(pair.getPrivate(), exporter);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must sign with its own Ed25519 key", e);
    }
  }

  /// Signs the bytes of a `Receipt`, with a label that distinguishes receipts from proofs.
  public ByteString sign(ByteString receipt) {
    return SignedMessage.RECEIPT.sign(pair.getPrivate(), receipt);
  }

  /// Signs the bytes of a `DeviceReport`.
  public ByteString signReport(ByteString report) {
    return SignedMessage.DEVICE_REPORT.sign(pair.getPrivate(), report);
  }

  /// Returns a constant, so that the key never appears in logs.
  @Override
  public String toString() {
    return "(device key)";
  }
}
