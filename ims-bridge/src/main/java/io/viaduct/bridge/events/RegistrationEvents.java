package io.viaduct.bridge.events;

import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.service.digest.Sha256;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Event package `reg` (RFC 3680): the contacts of the user. Each document has the full state, so a
/// contact that has ended is simply no longer there.
final class RegistrationEvents implements EventPackage<List<Binding>> {
  private static final int ID_BYTES = 8;
  private static final int Q_DECIMALS = 3;

  private final String domain;
  private final LocationService locations;

  RegistrationEvents(String domain, LocationService locations) {
    this.domain = domain;
    this.locations = locations;
  }

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
    return locations.bindings(user, now);
  }

  @Override
  public CompletableFuture<List<Binding>> state(String user, Instant now) {
    return CompletableFuture.completedFuture(locations.bindings(user, now));
  }

  @Override
  public String document(String user, List<Binding> contacts, int version, Instant now) {
    StringBuilder text =
        new StringBuilder()
            .append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
            .append("<reginfo xmlns=\"urn:ietf:params:xml:ns:reginfo\" version=\"")
            .append(version)
            .append("\" state=\"full\">\n <registration aor=\"")
            .append(escaped("sip:" + user + "@" + domain))
            .append("\" id=\"")
            .append(id(user))
            .append("\" state=\"")
            .append(contacts.isEmpty() ? "terminated" : "active")
            .append("\">\n");
    for (Binding contact : contacts) {
      text.append("  <contact id=\"")
          .append(id(contact.contact()))
          .append("\" state=\"active\" event=\"registered\" duration-registered=\"")
          .append(Math.max(0, Duration.between(contact.registered(), now).toSeconds()))
          .append("\" expires=\"")
          .append(Math.max(0, Duration.between(now, contact.expires()).toSeconds()))
          .append("\" q=\"")
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
            .append("</unknown-param>\n");
      }
      text.append("  </contact>\n");
    }
    return text.append(" </registration>\n</reginfo>\n").toString();
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
