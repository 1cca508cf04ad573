package io.viaduct.bridge.core;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.Transport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The trust domain (RFC 3324): the peers of the core whose word about users and charging counts.
/// The headers with that word are removed from the requests of everybody else. Thread-safe.
public final class TrustDomain {
  /// RFC 3325 section 9.1: a SIP address, a telephone number, or both.
  private static final int IDENTITIES_MAX = 2;

  private final String domain;
  private final List<SipFlow> peers;
  private final Set<String> names;
  private final String identity;
  private final LabelledCounters<CoreHeader> removed;
  private final LabelledCounters<CoreHeader> malformed;
  private volatile @Nullable RequestSender endpoint;

  /// @param domain of the users
  /// @param peers transports and addresses of the core's servers
  /// @param names common names of the certificates of further servers, which connect by TLS
  /// @param identity SIP address of this service in requests to the core
  public TrustDomain(
      String domain,
      List<SipFlow> peers,
      Set<String> names,
      String identity,
      MeterRegistry registry) {
    this.domain = domain;
    this.peers = List.copyOf(peers);
    this.names = Set.copyOf(names);
    this.identity = identity;
    this.removed =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_core_headers_removed",
            "Headers of the IMS core in requests of others, removed",
            "header",
            CoreHeader.class);
    this.malformed =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_core_headers_malformed",
            "Headers in requests of the IMS core that cannot be read, ignored",
            "header",
            CoreHeader.class);
  }

  /// Sets the endpoint that knows the certificates of connections.
  public void attach(RequestSender opened) {
    endpoint = opened;
  }

  /// Returns the request as the bridge may believe it. A peer sends for many users, so its answers
  /// are not limited as those of a source that may be forged.
  public IncomingRequest admit(IncomingRequest request) {
    if (peer(request.flow()).isPresent()) {
      request.onSourceProved();
      return request;
    }
    SipHeaders headers = request.message().headers();
    SipHeaders clean = headers;
    for (CoreHeader header : CoreHeader.values()) {
      if (has(headers, header)) {
        removed.increment(header);
        clean = clean.without(header.text);
      }
    }
    return clean.equals(headers)
        ? request
        : new CleanRequest(request, request.message().withHeaders(clean));
  }

  /// Returns headers as they leave the trust domain: without those that only its peers see.
  public static SipHeaders outside(SipHeaders headers) {
    SipHeaders clean = headers;
    for (CoreHeader header : CoreHeader.values()) {
      clean = clean.without(header.text);
    }
    return clean;
  }

  private static boolean has(SipHeaders headers, CoreHeader wanted) {
    for (SipHeader header : headers.list()) {
      if (header.is(wanted.text)) {
        return true;
      }
    }
    return false;
  }

  /// Returns the flow by which the bridge sends to a peer; empty if the source is no peer. The port
  /// is the configured one: that of a TCP connection which the peer has opened leads nowhere once
  /// the connection is closed. Over TLS only the peer opens connections.
  public Optional<SipFlow> peer(SipFlow source) {
    return source.transport() == Transport.TLS
        ? Optional.of(source).filter(this::isNamed)
        : byAddress(source);
  }

  private boolean isNamed(SipFlow source) {
    RequestSender opened = endpoint;
    return !names.isEmpty()
        && opened != null
        && opened.peerName(source).filter(names::contains).isPresent();
  }

  private Optional<SipFlow> byAddress(SipFlow source) {
    SipFlow found = null;
    for (SipFlow peer : peers) {
      if (peer.transport() == source.transport()
          && peer.remote().getAddress().equals(source.remote().getAddress())
          && (found == null || peer.remote().getPort() == source.remote().getPort())) {
        found = peer;
      }
    }
    return Optional.ofNullable(found);
  }

  /// Returns the address of this service in requests to the core.
  public String identity() {
    return identity;
  }

  /// Returns the addresses of the sender that a peer asserts; empty if the sender is no peer.
  public List<NameAddress> asserted(IncomingRequest request) {
    return read(
            request,
            CoreHeader.P_ASSERTED_IDENTITY,
            values -> {
              if (values.size() > IDENTITIES_MAX) {
                throw new IllegalArgumentException("more than " + IDENTITIES_MAX + " identities");
              }
              return values.stream().map(NameAddress::parse).toList();
            })
        .orElse(List.of());
  }

  /// Returns the charging vector that a peer tells.
  public Optional<ChargingVector> vector(IncomingRequest request) {
    return read(
        request,
        CoreHeader.P_CHARGING_VECTOR,
        values -> ChargingVector.parse(String.join(",", values)));
  }

  /// Returns the charging functions that a peer names.
  public ChargingAddresses addresses(IncomingRequest request) {
    return read(request, CoreHeader.P_CHARGING_FUNCTION_ADDRESSES, ChargingAddresses::parse)
        .orElse(ChargingAddresses.NONE);
  }

  private <T> Optional<T> read(
      IncomingRequest request, CoreHeader header, Function<List<String>, T> parser) {
    List<String> values = request.message().headers().values(header.text);
    if (values.isEmpty() || peer(request.flow()).isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(values));
    } catch (IllegalArgumentException e) {
      malformed.increment(header);
      return Optional.empty();
    }
  }

  /// Returns the way back to the sender of a request that begins a dialog. A user agent finds the
  /// bridge by its registrar, but the core routes the next requests by the Contact: towards the
  /// core that is the bridge's own address.
  ///
  /// @param user user part of the Contact
  /// @param out endpoint that has received the request
  public DialogPath path(IncomingRequest request, String user, @Nullable RequestSender out) {
    List<String> routes = request.message().headers().all("Record-Route");
    Optional<SipFlow> peer = peer(request.flow());
    return peer.isEmpty() || out == null
        ? new DialogPath(request.flow(), routes, "<sip:" + user + "@" + domain + ">")
        : new DialogPath(peer.get(), routes, "<" + address(user + "@", out, peer.get()) + ">");
  }

  /// Returns the flow by which a request is followed up: that of its peer, else its own.
  public SipFlow flow(IncomingRequest request) {
    return peer(request.flow()).orElse(request.flow());
  }

  /// Returns the URI of this bridge as a peer reaches it.
  ///
  /// @param user user part with `@`, or empty
  public static String address(String user, RequestSender endpoint, SipFlow flow) {
    String transport =
        flow.transport() == Transport.UDP ? "" : ";transport=" + flow.transport().parameter();
    return "sip:" + user + endpoint.sentBy(flow) + transport;
  }
}
