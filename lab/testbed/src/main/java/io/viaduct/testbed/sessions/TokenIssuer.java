package io.viaduct.testbed.sessions;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.InstantSource;

/// Signs session tokens as a bridge does. The SNAPT trusts the key because it is among the token
/// keys on its disk, as after a restart without a bridge.
final class TokenIssuer {
  private static final String KEY_ID = "bench";
  private static final long VALID_MS = 24 * 3_600_000L;

  private final KeyPair key = Ed25519.generate();
  private final InstantSource clock;

  TokenIssuer(InstantSource clock) {
    this.clock = clock;
  }

  /// Makes a SNAPT that is not started yet trust this issuer.
  ///
  /// @param state the SNAPT's state directory
  void vouchTo(Path state) throws IOException {
    TokenKey known =
        TokenKey.newBuilder()
            .setKeyId(KEY_ID)
            .setPublicKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) key.getPublic())))
            .build();
    Files.createDirectories(state);
    Files.write(
        state.resolve("token-keys"),
        SnaptStatusAck.newBuilder().addTokenKeys(known).build().toByteArray());
  }

  /// Returns a token for one device.
  ByteString issue(int number, KeyPair device) {
    long nowMs = clock.millis();
    ByteString token =
        SessionToken.newBuilder()
            .setTokenId("bench-" + number)
            .setAccount("user" + number)
            .setPublicIdentity("sip:user" + number + "@ims.test")
            .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) device.getPublic())))
            .setAudience("viaduct")
            .setNotBeforeMs(nowMs - 1_000)
            .setExpiresMs(nowMs + VALID_MS)
            .setIcid("icid-" + number)
            .build()
            .toByteString();
    return SignedSessionToken.newBuilder()
        .setToken(token)
        .setSignature(SignedMessage.SESSION_TOKEN.sign(key.getPrivate(), token))
        .setKeyId(KEY_ID)
        .build()
        .toByteString();
  }
}
