package io.viaduct.billing.diameter;

import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.credit.ServiceGrant;
import io.viaduct.diameter.credit.ServiceRequest;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.NodeIdentity;
import io.viaduct.diameter.peer.NodeSettings;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.diameter.peer.PeerSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;

/// An online charging system with the money of one user, in micro-denarii. It answers a copy of a
/// request without counting it again. It is a charging data function too, and takes every record.
final class ChargingSystem implements AutoCloseable {
  static final String HOST = "ocs.ims.test";
  static final Duration VALIDITY = Duration.ofMinutes(2);
  private static final String REALM = "ims.test";
  private static final int RE_AUTH = 258;
  private static final Answers ANSWERS = new Answers(Dictionary.standard(), HOST, REALM);

  final List<DiameterMessage> requests = new CopyOnWriteArrayList<>();
  final List<DiameterMessage> records = new CopyOnWriteArrayList<>();
  private final InetSocketAddress address;
  private final String peer;
  private volatile DiameterNode node;
  private final String billing;
  private final Set<String> counted = new HashSet<>();
  private long money;
  private LongFunction<ServiceUnits> unit = ServiceUnits::ofSpecific;
  private boolean isBusy;
  private boolean isSilent;

  /// @param billing Origin-Host of billing, which connects
  ChargingSystem(InetSocketAddress address, String billing) throws Exception {
    this(address, billing, billing);
  }

  /// @param peer Origin-Host of the node that connects: billing, or a relay
  ChargingSystem(InetSocketAddress address, String peer, String billing) throws Exception {
    this.billing = billing;
    this.address = address;
    this.peer = peer;
    node = start();
  }

  private DiameterNode start() throws Exception {
    return DiameterNode.start(
        NodeIdentity.charging(HOST, REALM, List.of(address.getAddress()), 1),
        NodeSettings.standard(address, List.of(new PeerSettings(peer, null))),
        Dictionary.standard(),
        Map.of(NodeIdentity.CREDIT_CONTROL, this::answer, NodeIdentity.ACCOUNTING, this::record));
  }

  private CompletableFuture<DiameterMessage> record(DiameterMessage request) {
    records.add(request);
    return CompletableFuture.completedFuture(Nodes.answer(request, HOST, 2001));
  }

  int port() {
    return node.port();
  }

  synchronized void money(long microdenarii) {
    money = microdenarii;
  }

  synchronized long money() {
    return money;
  }

  /// Counts grants in another unit from now on.
  ///
  /// @param other makes units of micro-denarii
  synchronized void unit(LongFunction<ServiceUnits> other) {
    unit = other;
  }

  /// Answers requests with 3004, or not any more.
  synchronized void busy(boolean busy) {
    isBusy = busy;
  }

  /// Counts requests from now on and leaves them without an answer.
  synchronized void silent() {
    isSilent = true;
  }

  /// Ends the connections, until [#restart].
  void stop() {
    node.close();
  }

  /// Ends the connections, forgets what is in flight, and answers again. The counts stay.
  void restart() throws Exception {
    node.close();
    synchronized (this) {
      isSilent = false;
    }
    node = start();
  }

  private synchronized CompletableFuture<DiameterMessage> answer(DiameterMessage request) {
    requests.add(request);
    if (isBusy) {
      return CompletableFuture.completedFuture(ANSWERS.plain(request, 3004));
    }
    ServiceRequest service = CreditAnswer.services(request).getFirst();
    String key = request.avps().text("Session-Id").orElseThrow() + number(request);
    if (counted.add(key)) {
      money -= used(request);
    }
    ServiceGrant grant =
        service
            .requested()
            .map(wanted -> grant(service, wanted.specific().orElseThrow()))
            .orElseGet(() -> ServiceGrant.refused(service, 2001));
    if (isSilent) {
      return new CompletableFuture<>();
    }
    return CompletableFuture.completedFuture(
        new CreditAnswer(2001, List.of(grant), Optional.empty()).to(request, ANSWERS));
  }

  private ServiceGrant grant(ServiceRequest service, long wanted) {
    if (money <= 0) {
      return ServiceGrant.refused(service, 4012);
    }
    return ServiceGrant.of(
        service,
        unit.apply(Math.min(wanted, money)),
        Optional.of(VALIDITY),
        money < wanted ? Optional.of(FinalUnit.TERMINATE) : Optional.empty());
  }

  static long number(DiameterMessage request) {
    return request.avps().number("CC-Request-Number").orElseThrow();
  }

  static long type(DiameterMessage request) {
    return request.avps().number("CC-Request-Type").orElseThrow();
  }

  static long used(DiameterMessage request) {
    return CreditAnswer.services(request)
        .getFirst()
        .used()
        .map(units -> units.specific().orElseThrow())
        .orElse(0L);
  }

  /// Tells billing that the credit of a session has changed.
  CompletableFuture<DiameterMessage> reauthorize(String session) {
    AvpBuilder avps =
        new AvpBuilder(Dictionary.standard())
            .add("Session-Id", session)
            .add("Origin-Host", HOST)
            .add("Origin-Realm", REALM)
            .add("Destination-Realm", REALM)
            .add("Destination-Host", billing)
            .add("Auth-Application-Id", NodeIdentity.CREDIT_CONTROL)
            .add("Re-Auth-Request-Type", "AUTHORIZE_ONLY");
    return node.send(
        new DiameterMessage(
            DiameterHeader.request(RE_AUTH, true, NodeIdentity.CREDIT_CONTROL), avps.build()));
  }

  @Override
  public void close() {
    node.close();
  }
}
