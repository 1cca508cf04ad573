package io.viaduct.bridge.directory;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.viaduct.service.tls.CommonName;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.PublicKey;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// Admits a call only if the common name of the caller's certificate is known, and passes the name
/// to the service.
public final class PeerIdentity implements ServerInterceptor {
  /// The caller's common name.
  public static final Context.Key<String> NAME = Context.key("peer");

  /// Numeric address and port of the other end of the caller's connection.
  public static final Context.Key<String> ADDRESS = Context.keyWithDefault("address", "unknown");

  private final Predicate<String> known;
  private final Predicate<String> unenrolled;
  private final BiPredicate<String, PublicKey> ofKey;
  private final Runnable refused;

  /// @param unenrolled whether a name that is not known is not enrolled for certain
  /// @param ofKey whether a known name may have a certificate with this key
  /// @param refused called for each refused call
  public PeerIdentity(
      Predicate<String> known,
      Predicate<String> unenrolled,
      BiPredicate<String, PublicKey> ofKey,
      Runnable refused) {
    this.known = known;
    this.unenrolled = unenrolled;
    this.ofKey = ofKey;
    this.refused = refused;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    @Nullable SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    Optional<String> name = CommonName.ofPeer(session);
    if (name.isEmpty() || !known.test(name.get())) {
      refused.run();
      call.close(refusal(name.orElse("")), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    if (!ofKey.test(name.get(), key(session))) {
      refused.run();
      call.close(
          Status.PERMISSION_DENIED.withDescription(
              "SNAPT '%s' has a newer certificate with another key: this one is void"
                  .formatted(name.get())),
          new Metadata());
      return new ServerCall.Listener<>() {};
    }
    return Contexts.interceptCall(
        Context.current().withValues(NAME, name.get(), ADDRESS, address(call)),
        call,
        headers,
        next);
  }

  private static PublicKey key(@Nullable SSLSession session) {
    try {
      return Objects.requireNonNull(session).getPeerCertificates()[0].getPublicKey();
    } catch (SSLPeerUnverifiedException e) {
      throw new IllegalStateException("a peer with a name has a certificate", e);
    }
  }

  private Status refusal(String name) {
    return !name.isEmpty() && unenrolled.test(name)
        ? notEnrolled(name)
        : Status.PERMISSION_DENIED.withDescription(
            "certificate names '" + name + "', which is not enrolled here");
  }

  /// Returns the answer to a SNAPT that is not enrolled, by which it drains.
  public static Status notEnrolled(String name) {
    return Status.NOT_FOUND.withDescription(
        "SNAPT '%s' is not enrolled ('denarii snapts'): its reports are refused, so it must drain"
            .formatted(name));
  }

  private static String address(ServerCall<?, ?> call) {
    SocketAddress remote = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote instanceof InetSocketAddress ip
        ? ip.getAddress().getHostAddress() + ":" + ip.getPort()
        : String.valueOf(remote);
  }
}
