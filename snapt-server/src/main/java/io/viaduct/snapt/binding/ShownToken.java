package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;

/// A verified session token, with the bytes that the device has shown. Each report contains the
/// signed token, as proof for the bridge and billing that the account used this SNAPT.
///
/// @param content the decoded token
/// @param signed the token as the device has sent it, with its signature
public record ShownToken(SessionToken content, SignedSessionToken signed) {
  /// Returns the device's public key, 32 raw bytes.
  public ByteString deviceKey() {
    return content.getDeviceKey();
  }

  /// Returns the token's id only, so that its bytes do not appear in logs.
  @Override
  public String toString() {
    return "token " + content.getTokenId() + " of " + content.getAccount();
  }
}
