package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.FieldText;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Processes REGISTER (RFC 3261 section 10.3). The steps in order: digest, identity, contacts,
/// expiry, update, response with all bindings. [SipService] has checked domain and extensions.
public final class Registrar {
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

  // RFC 3261 section 25.1, qvalue
  private static final Pattern Q = Pattern.compile("0(\\.\\d{0,3})?|1(\\.0{0,3})?");
  static final int PREFERENCE_MOST = 1000;
  private static final Pattern REG_ID = Pattern.compile("[1-9]\\d{0,8}");

  /// Seconds within which a user agent should send a keep-alive (RFC 5626 section 4.4): bindings of
  /// NATs live longer over TCP, and UDP has STUN.
  private static final String FLOW_TIMER = "120";

  private final Limits limits;
  private final Authentication authentication;
  private final LocationService locations;
  private final Runnable copy;
  private final Gruus gruus;
  private final SipMeters meters;
  private final InstantSource clock;

  /// Bounds of an expiry, and the expiry of a REGISTER that names none (`usual`).
  public record Limits(Duration least, Duration most, Duration usual) {}

  /// @param copy waits for a moment until another bridge has a copy of the bindings, so that a user
  ///   agent that is told of its registration stays registered if this bridge dies
  public Registrar(
      Limits limits,
      Authentication authentication,
      LocationService locations,
      Runnable copy,
      Gruus gruus,
      SipMeters meters,
      InstantSource clock) {
    this.limits = limits;
    this.authentication = authentication;
    this.locations = locations;
    this.copy = copy;
    this.gruus = gruus;
    this.meters = meters;
    this.clock = clock;
  }

  /// Returns whether a registration uses a connection of this bridge.
  boolean uses(SipFlow connection) {
    return locations.uses(connection);
  }

  /// @param endpoint that has received the request
  void onRegister(IncomingRequest request, RequestSender endpoint) {
    SipRequest message = request.message();
    if (!message.to().uri().regionMatches(true, 0, "sip", 0, 3)) {
      refuse(request, Refusal.NO_ADDRESS_OF_RECORD);
      return;
    }
    Optional<String> user = authentication.registrant(request);
    if (user.isEmpty()) {
      return;
    }
    List<String> contacts = message.headers().values("Contact");
    if (contacts.contains("*")) {
      onWildcard(request, user.get(), contacts.size(), endpoint);
      return;
    }
    try {
      List<Binding> changes = new ArrayList<>();
      for (String contact : contacts) {
        changes.add(binding(user.get(), contact, request));
      }
      long flows = changes.stream().filter(each -> each.regId() != 0).count();
      if (flows > 1) {
        refuse(request, Refusal.SEVERAL_FLOWS);
      } else if (flows == 1 && !keepsFlow(message)) {
        refuse(request, Refusal.FIRST_HOP_LACKS_OUTBOUND);
      } else {
        update(request, user.get(), changes, endpoint);
      }
    } catch (TooBrief e) {
      refuse(request, Refusal.INTERVAL_TOO_BRIEF);
    } catch (IllegalArgumentException e) {
      refuse(request, Refusal.MALFORMED_CONTACT);
    }
  }

  /// Returns whether the first hop keeps the flow: it is this bridge, or a proxy that says so in
  /// its Path URI.
  private static boolean keepsFlow(SipRequest register) {
    return register.headers().values("Via").size() == 1
        || register.headers().values("Path").stream().anyMatch(Registrar::hasOb);
  }

  private static boolean hasOb(String hop) {
    try {
      return NameAddress.parse(hop).sipUri().parameters().containsKey("ob");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean supports(SipRequest register, String extension) {
    return register.headers().values("Supported").stream().anyMatch(extension::equalsIgnoreCase);
  }

  private static int regId(NameAddress contact, SipRequest register) {
    String given = contact.parameters().getOrDefault("reg-id", "");
    return supports(register, "outbound")
            && contact.parameters().containsKey("+sip.instance")
            && REG_ID.matcher(given).matches()
        ? Integer.parseInt(given)
        : 0;
  }

  private void onWildcard(
      IncomingRequest request, String user, int contacts, RequestSender endpoint) {
    SipRequest message = request.message();
    boolean removes = message.headers().first("Expires").orElse("").equals("0");
    if (contacts != 1 || !removes) {
      refuse(request, Refusal.MALFORMED_WILDCARD);
      return;
    }
    LocationService.Outcome outcome =
        locations.removeAll(user, message.callId(), message.cseq().number(), clock.instant());
    conclude(request, user, outcome, SipMeters.Event.DEREGISTERED, endpoint);
  }

  private void update(
      IncomingRequest request, String user, List<Binding> changes, RequestSender endpoint) {
    Instant now = clock.instant();
    boolean stays = changes.stream().anyMatch(binding -> binding.isLive(now));
    conclude(
        request,
        user,
        locations.update(user, changes, now),
        stays || changes.isEmpty() ? SipMeters.Event.REGISTERED : SipMeters.Event.DEREGISTERED,
        endpoint);
  }

  private void conclude(
      IncomingRequest request,
      String user,
      LocationService.Outcome outcome,
      SipMeters.Event success,
      RequestSender endpoint) {
    switch (outcome) {
      case DONE -> {
        meters.count(success);
        copy.run();
        answer(request, user, endpoint);
      }
      case TOO_MANY_CONTACTS -> refuse(request, Refusal.TOO_MANY_CONTACTS);
      case TOO_MANY_BINDINGS -> refuse(request, Refusal.TOO_MANY_BINDINGS);
      case OUT_OF_ORDER -> refuse(request, Refusal.OUT_OF_ORDER);
    }
  }

  private Binding binding(String user, String contact, IncomingRequest request) throws TooBrief {
    NameAddress address = NameAddress.parse(contact);
    SipUri uri = address.sipUri();
    SipRequest message = request.message();
    Instant now = clock.instant();
    SipFlow flow = request.flow();
    return new Binding(
        user,
        uri.toString(),
        address.parameters().getOrDefault("+sip.instance", ""),
        flow,
        message.callId(),
        message.cseq().number(),
        now,
        now.plusSeconds(expiry(address, message)),
        preference(address.parameters().getOrDefault("q", "")),
        Set.copyOf(
            FieldText.split(
                address.parameters().getOrDefault("methods", "").toUpperCase(Locale.ROOT), ',')),
        regId(address, message),
        message.headers().values("Path"),
        CreditWords.language(String.join(",", message.headers().values("Accept-Language"))),
        Optional.empty());
  }

  /// Returns `q` in thousandths. A contact without a valid `q` gets the highest preference.
  private static int preference(String q) {
    return Q.matcher(q).matches()
        ? new BigDecimal(q).movePointRight(3).intValueExact()
        : PREFERENCE_MOST;
  }

  private long expiry(NameAddress contact, SipRequest message) throws TooBrief {
    String asked = contact.parameters().get("expires");
    if (asked == null) {
      asked = message.headers().first("Expires").orElse("");
    }
    // RFC 3261 section 20.19: a malformed value is treated as absent.
    long seconds = asked.matches("\\d{1,10}") ? Long.parseLong(asked) : limits.usual.toSeconds();
    if (seconds != 0 && seconds < limits.least.toSeconds()) {
      throw new TooBrief();
    }
    return Math.min(seconds, limits.most.toSeconds());
  }

  private void answer(IncomingRequest request, String user, RequestSender endpoint) {
    Instant now = clock.instant();
    SipResponse response = SipResponse.to(request.message(), 200).with("Date", date(now));
    SipRequest message = request.message();
    boolean isFlow = false;
    for (Binding binding : locations.bindings(user, now)) {
      if (binding.core().isPresent()) {
        continue; // not a contact that the user agent could know
      }
      long left = Math.max(1, Duration.between(now, binding.expires()).toSeconds());
      response =
          response.with(
              "Contact",
              "<" + binding.contact() + ">;expires=" + left + parameters(binding, message));
      isFlow |= binding.regId() != 0 && binding.callId().equals(message.callId());
    }
    for (String hop : message.headers().values("Path")) {
      response = response.with("Path", hop);
    }
    for (String address : authentication.addresses(user)) {
      response = response.with("P-Associated-URI", "<" + address + ">"); // RFC 7315 section 4.1
    }
    response =
        response
            // The requests of the user agent come by this address (RFC 3608).
            .with("Service-Route", "<" + TrustDomain.address("", endpoint, request.flow()) + ";lr>")
            .with("Supported", "path, outbound, gruu");
    request.answer(
        isFlow ? response.with("Require", "outbound").with("Flow-Timer", FLOW_TIMER) : response);
  }

  /// Returns what outbound and GRUU add to a contact of the answer. The same instance may be in
  /// several answers, each with a new temporary GRUU.
  private String parameters(Binding contact, SipRequest register) {
    if (contact.instance().isEmpty()) {
      return "";
    }
    String instance = ";+sip.instance=" + FieldText.quote(contact.instance());
    String flow = contact.regId() == 0 ? "" : ";reg-id=" + contact.regId();
    return supports(register, "gruu")
        ? instance
            + flow
            + ";pub-gruu="
            + FieldText.quote(gruus.ofInstance(contact.user(), contact.instance()))
            + ";temp-gruu="
            + FieldText.quote(gruus.temporary(contact))
        : instance + flow;
  }

  private static String date(Instant now) {
    return DATE.format(now);
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    SipResponse response = authentication.response(reason, request.message());
    request.answer(
        reason == Refusal.INTERVAL_TOO_BRIEF
            ? response.with("Min-Expires", Long.toString(limits.least.toSeconds()))
            : reason == Refusal.TOO_MANY_CONTACTS
                ? response.withReason("Too Many Contacts")
                : response);
  }

  /// Thrown if the requested expiry is below the minimum.
  private static final class TooBrief extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
