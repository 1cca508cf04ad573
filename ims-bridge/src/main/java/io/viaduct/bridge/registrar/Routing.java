package io.viaduct.bridge.registrar;

import io.viaduct.sip.FieldText;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Finds the destination of a proxied request, and the headers that it gets (RFC 3261 sections 16.3
/// to 16.6, RFC 5393). A request goes to contacts of a user of this domain only, by the flows that
/// they have registered by, whatever its Route says: the bridge is no open relay. Thread-safe.
public final class Routing {
  // A request of RFC 2543 leaves with Max-Forwards 70 (RFC 3261 section 16.6, step 3).
  private static final int HOPS_UNTOLD = 71;

  /// Most parallel branches of a request that names no Max-Breadth (RFC 5393 section 5.3.3).
  private static final int BREADTH_UNTOLD = 60;

  private static final int MARK_BYTES = 8;

  /// Length of the key of the marks.
  public static final int KEY_BYTES = 32;

  private final Authentication authentication;
  private final Subscribers subscribers;
  private final LocationService locations;
  private final Gruus gruus;
  private final InstantSource clock;
  private final SecretKeySpec marks;

  /// @param marks key of the marks by which loops are seen; bridges that share it see loops among
  ///   themselves
  public Routing(
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      Gruus gruus,
      byte[] marks,
      InstantSource clock) {
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.locations = locations;
    this.gruus = gruus;
    this.clock = clock;
    this.marks = new SecretKeySpec(marks, "HmacSHA256");
  }

  /// The destination of a request, or why it has none.
  public sealed interface Next {
    /// @param contacts at least one: of each user agent with several flows the latest one
    /// @param flows the contacts, and all other flows of their user agents
    /// @param headers of the forwarded request, without this hop's Via
    record To(List<Binding> contacts, List<Binding> flows, SipHeaders headers) implements Next {}

    record Refused(Refusal reason) implements Next {}
  }

  /// Returns why a request may travel no further: too many hops, or a loop.
  public Optional<Refusal> barrier(SipRequest request) {
    if (hops(request) == 0) {
      return Optional.of(Refusal.TOO_MANY_HOPS);
    }
    String mark = mark(request);
    return request.headers().values("Via").stream()
            .anyMatch(
                via -> FieldText.parameters(via, ';').getOrDefault("branch", "").endsWith(mark))
        ? Optional.of(Refusal.LOOP)
        : Optional.empty();
  }

  /// Returns the mark of the branches of a request. A request that comes back is forwarded again
  /// only if one of the fields has changed that its way depends on (RFC 5393 section 4.2.2).
  public String mark(SipRequest request) {
    String fields =
        String.join(
            "\n",
            request.uri(),
            request.from().tag(),
            request.to().tag(),
            request.callId(),
            request.headers().require("CSeq"),
            String.join(",", request.headers().all("Route")),
            String.join(",", request.headers().all("Proxy-Require")));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(marks);
      return HexFormat.of()
          .formatHex(mac.doFinal(fields.getBytes(StandardCharsets.UTF_8)), 0, MARK_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  /// Returns the contacts of the user that the Request-URI names, and the headers for them.
  ///
  /// @param meters counts the contacts that have declared that they do not take the method
  public Next next(SipRequest request, Consumer<SipMeters.Branch> meters) {
    Optional<Gruus.Target> agent = gruus.target(request.uri());
    Optional<String> recipient =
        agent
            .map(Gruus.Target::user)
            .or(() -> authentication.localUser(new NameAddress(request.uri(), Map.of())));
    if (recipient.isEmpty() || !subscribers.contains(recipient.get())) {
      return new Next.Refused(Refusal.UNKNOWN_USER);
    }
    List<Binding> contacts =
        locations.bindings(recipient.get(), clock.instant()).stream()
            .filter(contact -> agent.isEmpty() || agent.get().is(contact))
            .toList();
    if (contacts.isEmpty()) {
      return new Next.Refused(Refusal.NOT_REGISTERED);
    }
    List<Binding> able =
        contacts.stream().filter(contact -> contact.allows(request.method())).toList();
    List<Binding> targets = InstanceFlows.targets(able);
    for (int i = able.size(); i < contacts.size(); i++) {
      meters.accept(SipMeters.Branch.INCAPABLE);
    }
    if (targets.isEmpty()) {
      return new Next.Refused(Refusal.NO_CAPABLE_CONTACT);
    }
    Optional<Long> breadth = request.headers().first("Max-Breadth").map(Long::parseLong);
    long each = breadth.orElse((long) BREADTH_UNTOLD) / targets.size();
    if (each == 0) {
      return new Next.Refused(Refusal.TOO_MUCH_BREADTH);
    }
    SipHeaders headers = forwarded(request).without("Route");
    return new Next.To(
        targets,
        able,
        breadth.isPresent() ? headers.replace("Max-Breadth", Long.toString(each)) : headers);
  }

  /// Sends a request to a contact, and to the other flows of its user agent while flows fail (RFC
  /// 5626). A flow that has failed is removed.
  ///
  /// @param send sends to one flow
  /// @param mayGoOn whether the next flow may get the request after a failure
  public CompletableFuture<SipResponse> byFlows(
      Binding contact,
      Next.To to,
      Function<Binding, CompletableFuture<SipResponse>> send,
      BooleanSupplier mayGoOn) {
    return InstanceFlows.send(contact, to.flows(), send, locations::drop, mayGoOn);
  }

  /// Returns the contact of a user that has registered by a flow.
  public Optional<Binding> contact(String user, SipFlow flow) {
    return locations.bindings(user, clock.instant()).stream()
        .filter(contact -> contact.flow().equals(flow))
        .findFirst();
  }

  /// Returns the contact of a user that a request inside a dialog is for: the user agent of a GRUU,
  /// else the contact with the same user, host and port (RFC 3261 section 19.1.4), else the user
  /// agent that had the dialog.
  ///
  /// @param uri Request-URI: the Contact that the user agent gave in the dialog, which may differ
  ///   from that of its registration
  public Optional<Binding> contact(String user, String uri, Predicate<Binding> isAgent) {
    List<Binding> contacts = locations.bindings(user, clock.instant());
    Optional<Gruus.Target> agent = gruus.target(uri).filter(target -> target.user().equals(user));
    Predicate<Binding> first =
        agent.isPresent() ? agent.get()::is : contact -> isSamePlace(contact.contact(), uri);
    return Stream.of(first, isAgent)
        .flatMap(wanted -> contacts.stream().filter(wanted))
        .findFirst();
  }

  /// Returns the Request-URI of a request inside a dialog: a GRUU becomes the contact (RFC 5627
  /// section 5.4).
  public String uri(String uri, Binding contact) {
    return gruus.target(uri).isPresent() ? contact.contact() : uri;
  }

  private static boolean isSamePlace(String one, String other) {
    try {
      SipUri a = SipUri.parse(one);
      SipUri b = SipUri.parse(other);
      return a.user().equals(b.user()) && a.host().equals(b.host()) && a.port() == b.port();
    } catch (IllegalArgumentException e) {
      return one.equals(other);
    }
  }

  /// Returns the headers of a request as this hop forwards it. Credentials for this proxy go no
  /// further, and neither does a claim to be someone else (RFC 3325): this bridge has verified
  /// From. P-Served-User ends here too, because it is for one server (RFC 5502 section 5.2).
  public static SipHeaders forwarded(SipRequest request) {
    return request
        .headers()
        .without("Proxy-Authorization")
        .without("P-Asserted-Identity")
        .without("P-Preferred-Identity")
        .without("P-Served-User")
        .replace("Max-Forwards", Integer.toString(hops(request) - 1));
  }

  private static int hops(SipRequest request) {
    return request.headers().first("Max-Forwards").map(Integer::parseInt).orElse(HOPS_UNTOLD);
  }
}
