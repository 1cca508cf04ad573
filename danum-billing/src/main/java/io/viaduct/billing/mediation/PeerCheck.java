package io.viaduct.billing.mediation;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.tls.CommonName;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets only configured peers submit reports. TLS has checked that the certificate is genuine; this
/// class checks its common name.
final class PeerCheck implements ServerInterceptor {
  /// The reasons for refusing a peer.
  enum Refusal {
    /// The peer showed no certificate.
    NO_CERTIFICATE,
    /// The certificate is not from a trusted authority, has expired, or is not for a client.
    UNTRUSTED_CERTIFICATE,
    /// The certificate is genuine but has another name.
    WRONG_NAME
  }

  /// Common name of the caller's certificate; a call within this process has none.
  static final Context.Key<String> NAME = Context.keyWithDefault("peer", "in this process");

  private static final Logger LOG = LoggerFactory.getLogger(PeerCheck.class);

  private final Set<String> names;
  private final LabelledCounters<Refusal> refusals;

  PeerCheck(List<String> names, MeterRegistry registry) {
    this.names = Set.copyOf(names);
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_peers_refused",
            "Attempts to submit reports without permission, by reason",
            "reason",
            Refusal.class);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String name =
        CommonName.ofPeer(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION)).orElse(null);
    if (name != null && names.contains(name)) {
      return Contexts.interceptCall(Context.current().withValue(NAME, name), call, headers, next);
    }
    if (name == null) {
      count(Refusal.NO_CERTIFICATE);
      call.close(
          Status.UNAUTHENTICATED.withDescription(
              "show a certificate with one of the names " + names),
          new Metadata());
    } else {
      count(Refusal.WRONG_NAME);
      LOG.warn("a certificate of '{}' tried to submit reports", name);
      call.close(
          Status.PERMISSION_DENIED.withDescription(
              "the certificate of '" + name + "' is not one of " + names),
          new Metadata());
    }
    return new ServerCall.Listener<>() {};
  }

  void count(Refusal refusal) {
    refusals.increment(refusal);
  }
}
