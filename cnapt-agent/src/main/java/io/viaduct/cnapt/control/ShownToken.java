package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// The token of one control connection, with the proof that the device has its key, and whether the
/// SNAPT has been shown the newest one. Owner: the control event loop.
final class ShownToken {
  private final DeviceIdentity device;
  private byte[] token;
  private boolean shown;
  private @Nullable SSLSession through;

  /// @param first token for the Hello
  ShownToken(DeviceIdentity device, byte[] first) {
    this.device = device;
    this.token = first;
  }

  /// Sets a newer token.
  void renew(byte[] newer) {
    token = newer;
    shown = false;
  }

  /// Returns the token for the Hello, which shows it.
  byte[] forHello() {
    shown = true;
    return token;
  }

  /// Returns the proof for a TLS session, which is that of the connection from now on.
  ///
  /// @throws SSLException if the session has no exporter
  byte[] proof(SSLSession session) throws SSLException {
    through = session;
    return device.proof(session);
  }

  /// Sends the token unless it is shown.
  void showTo(ControlConnection open) {
    SSLSession session = through;
    if (shown || session == null) {
      return;
    }
    try {
      TokenUpdate update =
          TokenUpdate.newBuilder()
              .setToken(ByteString.copyFrom(token))
              .setProof(ByteString.copyFrom(device.proof(session)))
              .build();
      shown = true;
      open.send(ControlMessage.newBuilder().setTokenUpdate(update).build());
    } catch (SSLException e) {
      open.close(ControlFailure.TLS_FAILED, String.valueOf(e.getMessage()));
    }
  }
}
