package io.viaduct.usage;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.TokenKey;
import io.viaduct.usage.v1.UsageReport;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.function.UnaryOperator;

/// Makes envelopes for tests as bridge, device and SNAPT do together, each with a key of its own.
public final class ProvenReport {
  /// The group of SNAPTs that the tokens are for.
  public static final String AUDIENCE = "viaduct";

  private final KeyPair bridge;
  private final String keyId;
  private final KeyPair device;

  /// Makes envelopes with given keys.
  ///
  /// @param keyId name of the bridge's key
  public ProvenReport(KeyPair bridge, String keyId, KeyPair device) {
    this.bridge = bridge;
    this.keyId = keyId;
    this.device = device;
  }

  public ProvenReport() {
    this(keyPair(), "bridge-key", keyPair());
  }

  /// Returns the same bridge with another device.
  public ProvenReport otherDevice() {
    return new ProvenReport(bridge, keyId, keyPair());
  }

  public static KeyPair keyPair() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Returns the last 32 bytes of an Ed25519 SubjectPublicKeyInfo, which are the raw key.
  public static ByteString raw(KeyPair pair) {
    byte[] encoded = pair.getPublic().getEncoded();
    return ByteString.copyFrom(encoded, encoded.length - 32, 32);
  }

  public TokenKey tokenKey() {
    return TokenKey.newBuilder().setKeyId(keyId).setPublicKey(raw(bridge)).build();
  }

  /// Returns a token for a report: with its account, id and ICID, valid for five minutes around its
  /// interval.
  public SignedSessionToken token(UsageReport report) {
    return token(report, UnaryOperator.identity());
  }

  public SignedSessionToken token(UsageReport report, UnaryOperator<SessionToken.Builder> changed) {
    return signed(
        changed
            .apply(
                SessionToken.newBuilder()
                    .setTokenId(report.getTokenId())
                    .setAccount(report.getAccount())
                    .setPublicIdentity("sip:" + report.getAccount() + "@ims.test")
                    .setDeviceKey(raw(device))
                    .setAudience(AUDIENCE)
                    .setNotBeforeMs(report.getStartMs() - 60_000)
                    .setExpiresMs(report.getEndMs() + 240_000)
                    .setIcid(report.getIcid()))
            .build()
            .toByteString(),
        bridge);
  }

  public SignedSessionToken signed(ByteString token, KeyPair key) {
    return SignedSessionToken.newBuilder()
        .setToken(token)
        .setSignature(SignedMessage.SESSION_TOKEN.sign(key.getPrivate(), token))
        .setKeyId(keyId)
        .build();
  }

  public SignedReceipt receipt(UsageReport report) {
    return receipt(report, UnaryOperator.identity());
  }

  public SignedReceipt receipt(UsageReport report, UnaryOperator<Receipt.Builder> changed) {
    Receipt.Builder receipt =
        Receipt.newBuilder()
            .setSnaptId(report.getSnaptId())
            .setSessionId(report.getSessionId())
            .setEpoch(report.getEpoch())
            .setSequence(report.getSequence())
            .setStartMs(report.getStartMs())
            .setEndMs(report.getEndMs());
    for (FlowUsage flow : report.getFlowsList()) {
      receipt.setUpBytes(receipt.getUpBytes() + flow.getUp().getPreBytes());
      receipt.setDownBytes(receipt.getDownBytes() + flow.getDown().getPreBytes());
    }
    ByteString content = changed.apply(receipt).build().toByteString();
    return SignedReceipt.newBuilder()
        .setReceipt(content)
        .setSignature(SignedMessage.RECEIPT.sign(device.getPrivate(), content))
        .build();
  }

  /// Returns a device's own report, signed.
  public SignedDeviceReport ofDevice(DeviceReport report, SignedSessionToken token) {
    ByteString content = report.toByteString();
    return SignedDeviceReport.newBuilder()
        .setReport(content)
        .setSignature(SignedMessage.DEVICE_REPORT.sign(device.getPrivate(), content))
        .setToken(token)
        .build();
  }

  /// Returns a report with its token; the caller adds the SNAPT's signature.
  public SignedUsageReport unsigned(UsageReport report) {
    return SignedUsageReport.newBuilder()
        .setReport(report.toByteString())
        .setToken(token(report))
        .build();
  }

  /// Returns a report with token and receipt; the caller adds the SNAPT's signature.
  public SignedUsageReport complete(UsageReport report) {
    return unsigned(report).toBuilder().setReceipt(receipt(report)).build();
  }
}
