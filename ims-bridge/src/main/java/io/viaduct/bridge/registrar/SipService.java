package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Dispatches each request to the part that serves its method. All requests of users enter here, so
/// headers that only the core may set are removed here.
public final class SipService implements RequestHandler {
  private static final Set<String> OF_USERS =
      Set.of("REGISTER", "MESSAGE", "INVITE", "SUBSCRIBE", "PUBLISH");

  /// Methods that the bridge passes on; a Require in them is for the other end (RFC 3261 section
  /// 16.3).
  private static final Set<String> PROXIED =
      Set.of("MESSAGE", "INVITE", "BYE", "CANCEL", "PRACK", "UPDATE", "INFO", "REFER");

  /// Extensions of REGISTER that a user agent or a proxy may require (RFC 3327, RFC 5626, RFC
  /// 5627).
  private static final Set<String> OF_REGISTER = Set.of("path", "outbound", "gruu");

  private static final String ALLOW =
      "INVITE, ACK, BYE, CANCEL, PRACK, UPDATE, INFO, REGISTER, MESSAGE, SUBSCRIBE, PUBLISH,"
          + " OPTIONS";

  private static final String EVENTS = "snapt-session, viaduct-account, reg, viaduct-usage";

  /// A bridge that has just started gets the directory within seconds, if billing is up.
  private static final String RETRY_SECONDS = "5";

  /// A time in seconds, with at most nine decimals.
  private static final Pattern TIMESTAMP = Pattern.compile("\\d{1,10}(\\.\\d{0,9})?");

  private final String domain;
  private final Subscribers subscribers;
  private final TrustDomain trust;
  private final Registrar registrar;
  private final CoreRegistrar core;
  private final MessageProxy proxy;
  private final Calls calls;
  private final Desk desk;
  private final Notifier notifier;
  private final Publications publications;
  private final SipMeters meters;
  private volatile @Nullable RequestSender endpoint;

  /// Serves calls.
  public interface Calls {
    /// Serves an INVITE that begins a call.
    void onInvite(IncomingRequest request, RequestSender endpoint);

    /// Serves a request inside a call.
    ///
    /// @return false if it belongs to no call of this bridge; then it is not answered
    boolean onRequestInside(IncomingRequest request, RequestSender endpoint);

    /// Forgets the calls whose session has expired.
    void onClock();
  }

  /// Serves SUBSCRIBE.
  @FunctionalInterface
  public interface Notifier {
    void onSubscribe(IncomingRequest request);
  }

  /// Serves PUBLISH.
  @FunctionalInterface
  public interface Publications {
    void onPublish(IncomingRequest request);
  }

  /// Answers questions of users.
  public interface Desk {
    /// Returns whether a MESSAGE is for this desk and not for a user.
    boolean isAddressed(SipRequest message);

    void onMessage(IncomingRequest request, RequestSender out);
  }

  public SipService(
      String domain,
      Subscribers subscribers,
      TrustDomain trust,
      Registrar registrar,
      CoreRegistrar core,
      MessageProxy proxy,
      Calls calls,
      Desk desk,
      Notifier notifier,
      Publications publications,
      SipMeters meters) {
    this.domain = domain;
    this.subscribers = subscribers;
    this.trust = trust;
    this.registrar = registrar;
    this.core = core;
    this.proxy = proxy;
    this.calls = calls;
    this.desk = desk;
    this.notifier = notifier;
    this.publications = publications;
    this.meters = meters;
  }

  /// Sets the endpoint that this service sends through. Until then every request gets 503.
  public void attach(RequestSender opened) {
    endpoint = opened;
  }

  @Override
  public boolean needs(SipFlow connection) {
    return registrar.uses(connection);
  }

  @Override
  public void onRequest(IncomingRequest arrived) {
    IncomingRequest request = trust.admit(arrived);
    SipRequest message = request.message();
    RequestSender out = endpoint;
    if (message.method().equals("ACK")) {
      if (out != null) {
        calls.onRequestInside(request, out);
      }
      return;
    }
    if (out == null) {
      meters.count(Refusal.STARTING);
      request.answer(Refusal.STARTING.response(message, domain).with("Retry-After", "1"));
      return;
    }
    if (message.headers().all("Proxy-Require").isEmpty() && calls.onRequestInside(request, out)) {
      return;
    }
    if (!OF_USERS.contains(message.method())
        && !PROXIED.contains(message.method())
        && !message.method().equals("OPTIONS")) {
      refuseMethod(request);
      return;
    }
    if (!message.uri().regionMatches(true, 0, "sip:", 0, 4)) {
      refuse(request, Refusal.UNSUPPORTED_SCHEME);
      return;
    }
    List<String> required = new ArrayList<>(message.headers().values("Proxy-Require"));
    if (!PROXIED.contains(message.method())) {
      required.addAll(message.headers().values("Require"));
    }
    if (message.method().equals("REGISTER")) {
      required.removeIf(OF_REGISTER::contains);
    }
    if (!required.isEmpty()) {
      meters.count(Refusal.EXTENSION_REQUIRED);
      request.answer(
          Refusal.EXTENSION_REQUIRED
              .response(message, domain)
              .with("Unsupported", String.join(", ", required)));
      return;
    }
    if (!subscribers.isLoaded() && OF_USERS.contains(message.method())) {
      meters.count(Refusal.DIRECTORY_MISSING);
      request.answer(
          Refusal.DIRECTORY_MISSING.response(message, domain).with("Retry-After", RETRY_SECONDS));
      return;
    }
    switch (message.method()) {
      case "REGISTER" -> {
        if (core.serves(request)) {
          core.onRegister(request);
        } else if (isOurs(message)) {
          registrar.onRegister(request, out);
        } else {
          refuse(request, Refusal.FOREIGN_DOMAIN);
        }
      }
      case "MESSAGE" -> {
        Optional<String> timestamp = probe(message);
        if (timestamp.isPresent()) {
          meters.count(SipMeters.Event.PROBE_ANSWERED);
          request.answer(SipResponse.to(message, 200).with("Timestamp", timestamp.get()));
        } else if (desk.isAddressed(message)) {
          desk.onMessage(request, out);
        } else {
          proxy.onMessage(request, out);
        }
      }
      case "INVITE" -> calls.onInvite(request, out);
      case "CANCEL" -> refuse(request, Refusal.UNKNOWN_TRANSACTION);
      case "REFER" -> refuse(request, Refusal.TRANSFER_REFUSED);
      case "BYE", "PRACK", "UPDATE", "INFO" -> refuse(request, Refusal.UNKNOWN_DIALOG);
      case "SUBSCRIBE" -> notifier.onSubscribe(request);
      case "PUBLISH" -> publications.onPublish(request);
      case "OPTIONS" -> {
        meters.count(SipMeters.Event.OPTIONS_ANSWERED);
        SipResponse answer =
            SipResponse.to(message, 200)
                .with("Allow", ALLOW)
                .with("Accept", "text/plain, application/json");
        request.answer(message.isShort() ? answer : answer.with("Allow-Events", EVENTS));
      }
      default -> throw new IllegalStateException("no method of the bridge: " + message.method());
    }
  }

  // The method counts first, then the Request-URI, then Require (RFC 3261 section 8.2).
  private void refuseMethod(IncomingRequest request) {
    SipRequest message = request.message();
    Refusal reason =
        message.method().equals("NOTIFY") ? Refusal.METHOD_NOT_ALLOWED : Refusal.METHOD_UNKNOWN;
    meters.count(reason);
    request.answer(reason.response(message, domain).with("Allow", ALLOW));
  }

  /// Returns the Timestamp of a probe: a MESSAGE to the domain itself, without a body, whose answer
  /// repeats the Timestamp (RFC 3261 section 20.38). It changes no state, so it needs no
  /// credentials; the budget of answers bounds it as it bounds OPTIONS.
  private Optional<String> probe(SipRequest message) {
    return message
        .headers()
        .first("Timestamp")
        .filter(value -> TIMESTAMP.matcher(value).matches())
        .filter(_ -> message.body().equals(SipBody.EMPTY) && isOurs(message))
        .filter(_ -> SipUri.parse(message.uri()).user().isEmpty());
  }

  private boolean isOurs(SipRequest message) {
    try {
      return SipUri.parse(message.uri()).host().equals(domain);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.response(request.message(), domain));
  }
}
