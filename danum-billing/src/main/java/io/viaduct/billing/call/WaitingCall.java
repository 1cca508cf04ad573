package io.viaduct.billing.call;

/// A call whose node has heard that the credit pays no more.
///
/// @param originHost the node
/// @param originRealm its realm
/// @param session Session-Id
public record WaitingCall(String originHost, String originRealm, String session) {
  static WaitingCall of(CallRequest request) {
    return new WaitingCall(request.originHost(), request.originRealm(), request.session());
  }
}
