package io.viaduct.snapt.group;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.viaduct.service.tls.CommonName;
import java.util.Optional;

/// Admits a call only if the common name of the caller's certificate is that of a member, and
/// passes the name to the service.
///
/// @param strangers run for each refused call
record MemberIdentity(GroupSettings settings, Runnable strangers) implements ServerInterceptor {
  /// The caller's common name.
  static final Context.Key<String> NAME = Context.key("member");

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Optional<String> name =
        CommonName.ofPeer(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
    if (name.isEmpty() || settings.member(name.get()).isEmpty()) {
      strangers.run();
      call.close(
          Status.PERMISSION_DENIED.withDescription(
              "the certificate names '%s', which is no member of the group %s"
                  .formatted(name.orElse(""), settings.name())),
          new Metadata());
      return new ServerCall.Listener<>() {};
    }
    return Contexts.interceptCall(
        Context.current().withValue(NAME, name.get()), call, headers, next);
  }
}
