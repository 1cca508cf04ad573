package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Processes the third-party REGISTER by which an S-CSCF tells that it serves a user (TS 24.229
/// section 5.7.1.1). Each one has a new Call-ID, so the public identity in To is the key: it
/// becomes the contact, which is reached by way of the S-CSCF. The body is not read.
public final class CoreRegistrar {
  private final String domain;
  private final TrustDomain trust;
  private final Duration most;
  private final Duration usual;
  private final Authentication authentication;
  private final LocationService locations;
  private final SipMeters meters;
  private final InstantSource clock;

  /// @param limits the longest expiry, and that of a REGISTER without one; the core's own policy
  ///   decides about the shortest
  public CoreRegistrar(
      String domain,
      TrustDomain trust,
      Registrar.Limits limits,
      Authentication authentication,
      LocationService locations,
      SipMeters meters,
      InstantSource clock) {
    this.domain = domain;
    this.trust = trust;
    this.most = limits.most();
    this.usual = limits.usual();
    this.authentication = authentication;
    this.locations = locations;
    this.meters = meters;
    this.clock = clock;
  }

  /// Returns whether a REGISTER is one of an S-CSCF: a peer of the trust domain has sent it, and it
  /// registers another address than its own. Others need digest, also those of a peer.
  boolean serves(IncomingRequest request) {
    SipRequest message = request.message();
    return trust.peer(request.flow()).isPresent()
        && !address(message.from()).equals(address(message.to()));
  }

  private static String address(NameAddress party) {
    try {
      return party.sipUri().addressOfRecord().toString();
    } catch (IllegalArgumentException e) {
      return party.uri(); // no SIP URI
    }
  }

  void onRegister(IncomingRequest request) {
    Optional<String> user = authentication.served(request);
    if (user.isEmpty()) {
      return;
    }
    Instant now = clock.instant();
    NameAddress contact;
    Binding binding;
    try {
      contact = contact(request.message());
      binding = binding(request, user.get(), contact, now);
    } catch (IllegalArgumentException e) {
      refuse(request, Refusal.MALFORMED_CONTACT);
      return;
    }
    switch (locations.update(user.get(), List.of(binding), now)) {
      case DONE -> {
        boolean stays = binding.isLive(now);
        meters.count(stays ? SipMeters.Event.CORE_REGISTERED : SipMeters.Event.CORE_DEREGISTERED);
        SipResponse ok = SipResponse.to(request.message(), 200);
        long left = Duration.between(now, binding.expires()).toSeconds();
        request.answer(stays ? ok.with("Contact", "<" + contact.uri() + ">;expires=" + left) : ok);
      }
      case TOO_MANY_CONTACTS -> refuse(request, Refusal.TOO_MANY_CONTACTS);
      case TOO_MANY_BINDINGS -> refuse(request, Refusal.TOO_MANY_BINDINGS);
      case OUT_OF_ORDER -> refuse(request, Refusal.OUT_OF_ORDER);
    }
  }

  private static NameAddress contact(SipRequest message) {
    return message.headers().values("Contact").stream()
        .findFirst()
        .map(NameAddress::parse)
        .orElse(message.from());
  }

  private Binding binding(IncomingRequest request, String user, NameAddress contact, Instant now) {
    SipRequest message = request.message();
    SipUri given = contact.sipUri();
    Map<String, String> parameters = new HashMap<>(given.parameters());
    parameters.put("lr", "");
    String scscf = new SipUri(given.user(), given.host(), given.port(), parameters).toString();
    return new Binding(
        user,
        address(message.to()),
        "",
        trust.flow(request),
        message.callId(),
        message.cseq().number(),
        now,
        now.plusSeconds(expiry(contact, message)),
        Registrar.PREFERENCE_MOST,
        Set.of(),
        0,
        List.of("<" + scscf + ">"),
        Locale.ENGLISH,
        Optional.of(
            new CoreRegistration(
                scscf, trust.identity(), trust.vector(request), trust.addresses(request))));
  }

  private long expiry(NameAddress contact, SipRequest message) {
    String asked =
        contact.parameters().getOrDefault("expires", message.headers().first("Expires").orElse(""));
    long seconds = asked.matches("\\d{1,10}") ? Long.parseLong(asked) : usual.toSeconds();
    return Math.min(seconds, most.toSeconds());
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.response(request.message(), domain));
  }
}
