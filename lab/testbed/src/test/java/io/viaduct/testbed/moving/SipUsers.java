package io.viaduct.testbed.moving;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// SIP users behind one UDP socket, as a load generator has them. Each registers a contact of its
/// own, sends by the bridge that the caller names, and accepts messages and calls. Thread-safe.
final class SipUsers implements AutoCloseable {
  /// Stands for a request that was not answered in time.
  static final int NO_ANSWER = 0;

  private static final int PATIENCE_MS = 8_000; // as agents: then another bridge is tried
  private static final int SENDS_MAX = 3; // as it is, with credentials, with those of a new nonce
  private static final int EXPIRES_SECONDS = 600;
  private static final String SDP =
      """
      v=0\r
      o=- 1 1 IN IP4 %1$s\r
      s=-\r
      c=IN IP4 %1$s\r
      t=0 0\r
      m=audio %2$d RTP/AVP 0\r
      """
          .formatted(Topology.SERVER, MovingLab.STREAM_PORT);

  private final String host;
  private final String password;
  private final SipEndpoint endpoint;
  private final Map<String, User> users = new ConcurrentHashMap<>();

  private record User(DigestClient digest, String registration, AtomicLong sequence) {}

  /// One call, from its caller's end.
  ///
  /// @param remote value of To, with the callee's tag
  /// @param routes values of Route
  record Call(
      String caller, String id, String tag, String remote, String target, List<String> routes) {}

  /// @param host address of the namespace
  /// @param password of all users
  SipUsers(NetworkNamespace in, String host, String password) {
    this.host = host;
    this.password = password;
    SipEndpointSettings settings = SipEndpointSettings.client(new InetSocketAddress(host, 0));
    endpoint = in.call(() -> SipEndpoint.start(settings, InstantSource.system(), this::onRequest));
  }

  private User user(String name) {
    return users.computeIfAbsent(
        name,
        _ ->
            new User(
                new DigestClient(
                    name, password, Set.of(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5)),
                SipEndpoint.token(),
                new AtomicLong()));
  }

  private static SipFlow to(int bridge) {
    return new SipFlow(
        Transport.UDP, new InetSocketAddress(Topology.bridge(bridge), Plans.SIP_PORT));
  }

  private static String address(String user) {
    return "<sip:%s@%s>".formatted(user, Plans.DOMAIN);
  }

  private String contact(String user) {
    return "<sip:%s@%s:%d>".formatted(user, host, endpoint.port());
  }

  private void onRequest(IncomingRequest incoming) {
    SipRequest request = incoming.message();
    incoming.onSourceProved();
    if (request.method().equals("INVITE")) {
      SipResponse accepted = SipResponse.to(request, 200).withToTag("callee");
      for (String route : request.headers().all("Record-Route")) {
        accepted = accepted.with("Record-Route", route);
      }
      incoming.answer(
          accepted
              .with("Contact", "<" + request.uri() + ">")
              .withBody("application/sdp", SipBody.of(SDP)));
    } else if (!request.method().equals("ACK")) {
      incoming.answer(200);
    }
  }

  /// Registers a user.
  ///
  /// @param bridge from 1
  /// @return status of the final response, or [#NO_ANSWER]
  int register(String name, int bridge) throws InterruptedException {
    User user = user(name);
    return status(
        name,
        () ->
            request(
                    "REGISTER",
                    "sip:" + Plans.DOMAIN,
                    address(name) + ";tag=r",
                    address(name),
                    user.registration(),
                    user.sequence().incrementAndGet())
                .with("Contact", contact(name))
                .with("Expires", Integer.toString(EXPIRES_SECONDS)),
        bridge);
  }

  /// Sends a MESSAGE to another user.
  ///
  /// @return status of the final response, or [#NO_ANSWER]
  int message(String from, String to, int bridge) throws InterruptedException {
    String id = SipEndpoint.token();
    AtomicLong sequence = new AtomicLong();
    return status(
        from,
        () ->
            request(
                    "MESSAGE",
                    "sip:%s@%s".formatted(to, Plans.DOMAIN),
                    address(from) + ";tag=m",
                    address(to),
                    id,
                    sequence.incrementAndGet())
                .withBody("text/plain", SipBody.of("are you there")),
        bridge);
  }

  /// Calls another user, who accepts at once.
  ///
  /// @throws IllegalStateException if there is no call
  Call call(String caller, String callee, int bridge) throws Exception {
    String id = SipEndpoint.token();
    String tag = SipEndpoint.token();
    DigestClient digest = user(caller).digest();
    long sequence = 1;
    SipResponse answer = send(digest.authorize(invite(caller, callee, id, tag, sequence)), bridge);
    while (digest.acceptChallenge(answer) && sequence < SENDS_MAX) {
      sequence++;
      answer = send(digest.authorize(invite(caller, callee, id, tag, sequence)), bridge);
    }
    if (!answer.isSuccess()) {
      throw new IllegalStateException("%s gets %s".formatted(caller, answer.summary()));
    }
    Call call =
        new Call(
            caller,
            id,
            tag,
            answer.headers().require("To"),
            NameAddress.parse(answer.headers().require("Contact")).uri(),
            answer.headers().values("Record-Route").reversed());
    endpoint.sendAck(inside(call, "ACK", sequence), to(bridge));
    return call;
  }

  private SipRequest invite(String caller, String callee, String id, String tag, long sequence) {
    String uri = "sip:%s@%s".formatted(callee, Plans.DOMAIN);
    return request("INVITE", uri, address(caller) + ";tag=" + tag, address(callee), id, sequence)
        .with("Contact", contact(caller))
        .withBody("application/sdp", SipBody.of(SDP));
  }

  private SipResponse send(SipRequest invite, int bridge) throws Exception {
    CompletableFuture<SipResponse> last = new CompletableFuture<>();
    var unused =
        endpoint.invite(
            invite,
            to(bridge),
            "",
            new InviteBranch.Events() {
              @Override
              public void onResponse(SipResponse response) {
                if (response.isFinal()) {
                  last.complete(response);
                }
              }

              @Override
              public void onFailure(SipException failure) {
                last.completeExceptionally(failure);
              }
            });
    return last.get(30, TimeUnit.SECONDS);
  }

  /// Ends a call by a BYE.
  ///
  /// @return status of the final response, or [#NO_ANSWER]
  int hangUp(Call call, int bridge) throws InterruptedException {
    AtomicLong sequence = new AtomicLong(SENDS_MAX);
    return status(call.caller(), () -> inside(call, "BYE", sequence.incrementAndGet()), bridge);
  }

  private static SipRequest inside(Call call, String method, long sequence) {
    SipRequest request =
        request(
            method,
            call.target(),
            address(call.caller()) + ";tag=" + call.tag(),
            call.remote(),
            call.id(),
            sequence);
    for (String route : call.routes()) {
      request = request.with("Route", route);
    }
    return request;
  }

  private static SipRequest request(
      String method, String uri, String from, String to, String id, long sequence) {
    return new SipRequest(
        method,
        uri,
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("User-Agent", "viaduct")
            .with("From", from)
            .with("To", to)
            .with("Call-ID", id)
            .with("CSeq", sequence + " " + method));
  }

  private int status(String name, Supplier<SipRequest> next, int bridge)
      throws InterruptedException {
    DigestClient digest = user(name).digest();
    int status = NO_ANSWER;
    for (int sends = 0; sends < SENDS_MAX; sends++) {
      try {
        SipResponse answer =
            endpoint
                .send(digest.authorize(next.get()), to(bridge))
                .get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        status = answer.status();
        if (!digest.acceptChallenge(answer)) {
          return status;
        }
      } catch (TimeoutException | ExecutionException _) {
        return NO_ANSWER;
      }
    }
    return status;
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
