package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;

/// A session token as a device showed it, verified. The signed form travels with each report: it
/// proves to the bridge and to billing that the account was here.
///
/// @param content what the token says
/// @param signed the bytes that were shown
public record ShownToken(SessionToken content, SignedSessionToken signed) {
  /// The device's public key, 32 bytes raw.
  public ByteString deviceKey() {
    return content.getDeviceKey();
  }

  /// Names the token; its bytes stay out of logs.
  @Override
  public String toString() {
    return "token " + content.getTokenId() + " of " + content.getAccount();
  }
}
