package io.viaduct.bridge.events;

import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.Gruus;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.service.digest.Sha256;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Event package `reg` (RFC 3680): the contacts of the user, once for each address of the user,
/// with their public GRUUs (RFC 5628). Each document has the full state, and once the contacts that
/// have ended since the last document of the subscription.
final class RegistrationEvents implements EventPackage<RegistrationEvents.State> {
  private static final int ID_BYTES = 8;
  private static final int Q_DECIMALS = 3;

  private final Authentication authentication;
  private final LocationService locations;
  private final Gruus gruus;

  RegistrationEvents(Authentication authentication, LocationService locations, Gruus gruus) {
    this.authentication = authentication;
    this.locations = locations;
    this.gruus = gruus;
  }

  /// The registrations of a user.
  ///
  /// @param addresses of the user; each is registered by all contacts
  record State(List<Binding> contacts, List<String> addresses) {
    State {
      contacts = List.copyOf(contacts);
      addresses = List.copyOf(addresses);
    }

    /// Returns the contact with a key.
    Optional<Binding> find(String key) {
      return contacts.stream().filter(contact -> contact.key().equals(key)).findFirst();
    }
  }

  /// A contact in a document.
  ///
  /// @param state of its state machine (RFC 3680 section 3.2)
  /// @param event that led to this state
  private record Shown(Binding contact, String state, String event) {}

  @Override
  public String name() {
    return "reg";
  }

  @Override
  public String type() {
    return "application/reginfo+xml";
  }

  @Override
  public Object trigger(String user, Instant now) {
    return now(user, now);
  }

  @Override
  public CompletableFuture<State> state(String user, Instant now) {
    return CompletableFuture.completedFuture(now(user, now));
  }

  private State now(String user, Instant now) {
    return new State(locations.bindings(user, now), authentication.addresses(user));
  }

  @Override
  public String document(
      String user, State state, @Nullable Object told, int version, Instant now) {
    List<Shown> shown = new ArrayList<>();
    State before = told instanceof State known ? known : new State(List.of(), List.of());
    for (Binding contact : state.contacts()) {
      shown.add(new Shown(contact, "active", event(contact, before.find(contact.key()))));
    }
    for (Binding old : before.contacts()) {
      if (state.find(old.key()).isEmpty()) {
        String event = old.expires().isAfter(now) ? "unregistered" : "expired";
        shown.add(new Shown(old, "terminated", event));
      }
    }
    return document(state.addresses(), shown, version, now);
  }

  private static String event(Binding contact, Optional<Binding> before) {
    if (before.isEmpty() || before.get().equals(contact)) {
      return "registered";
    }
    return contact.expires().isBefore(before.get().expires()) ? "shortened" : "refreshed";
  }

  /// Returns the last document of a user who is not entitled any more: all contacts were ended.
  @Override
  public Optional<String> ending(String user, @Nullable Object told, int version, Instant now) {
    if (!(told instanceof State before)) {
      return Optional.empty();
    }
    List<Shown> shown =
        before.contacts().stream()
            .map(contact -> new Shown(contact, "terminated", "rejected"))
            .toList();
    return Optional.of(document(before.addresses(), shown, version, now));
  }

  private String document(List<String> addresses, List<Shown> shown, int version, Instant now) {
    StringBuilder text =
        new StringBuilder()
            .append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
            .append("<reginfo xmlns=\"urn:ietf:params:xml:ns:reginfo\"")
            .append(" xmlns:gr=\"urn:ietf:params:xml:ns:gruuinfo\" version=\"")
            .append(version)
            .append("\" state=\"full\">\n");
    for (String address : addresses) {
      text.append(" <registration aor=\"")
          .append(escaped(address))
          .append("\" id=\"")
          .append(id(address))
          .append("\" state=\"")
          .append(state(shown))
          .append("\">\n");
      shown.forEach(each -> contact(text, address, each, now));
      text.append(" </registration>\n");
    }
    return text.append("</reginfo>\n").toString();
  }

  /// Returns the state of a registration (RFC 3680 section 3.1): `terminated` is told once.
  private static String state(List<Shown> shown) {
    if (shown.isEmpty()) {
      return "init";
    }
    return shown.stream().anyMatch(each -> each.state.equals("active")) ? "active" : "terminated";
  }

  private void contact(StringBuilder text, String address, Shown shown, Instant now) {
    Binding contact = shown.contact;
    text.append("  <contact id=\"")
        .append(id(address + "\n" + contact.key()))
        .append("\" state=\"")
        .append(shown.state)
        .append("\" event=\"")
        .append(shown.event)
        .append("\" duration-registered=\"")
        .append(Math.max(0, Duration.between(contact.registered(), now).toSeconds()));
    if (shown.state.equals("active")) {
      text.append("\" expires=\"")
          .append(Math.max(0, Duration.between(now, contact.expires()).toSeconds()));
    }
    text.append("\" q=\"")
        .append(BigDecimal.valueOf(contact.preference(), Q_DECIMALS).toPlainString())
        .append("\" callid=\"")
        .append(escaped(contact.callId()))
        .append("\" cseq=\"")
        .append(contact.cseq())
        .append("\">\n   <uri>")
        .append(escaped(contact.contact()))
        .append("</uri>\n");
    if (!contact.instance().isEmpty()) {
      text.append("   <unknown-param name=\"+sip.instance\">")
          .append(escaped(contact.instance()))
          .append("</unknown-param>\n   <gr:pub-gruu uri=\"")
          .append(escaped(gruus.ofInstance(contact.user(), contact.instance())))
          .append("\"/>\n");
    }
    text.append("  </contact>\n");
  }

  // An id must be the same in all documents of a subscription, and begin with a letter.
  private static String id(String of) {
    return "i" + HexFormat.of().formatHex(Sha256.of(of), 0, ID_BYTES);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
