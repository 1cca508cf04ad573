package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.util.Optional;

/// The Final-Unit-Indication of a grant: what happens when the granted units are used up.
///
/// @param redirect where to send the user's requests, a URL; only with REDIRECT
public record FinalUnit(Action action, Optional<String> redirect) {
  /// Values of Final-Unit-Action.
  public enum Action {
    TERMINATE,
    REDIRECT,
    RESTRICT_ACCESS
  }

  private static final Action[] ACTIONS = Action.values();
  private static final int URL = 2;

  public static final FinalUnit TERMINATE = new FinalUnit(Action.TERMINATE, Optional.empty());

  /// An action that this version does not know ends the service, which is the safe one.
  static FinalUnit of(AvpGroup group) {
    long action = group.number("Final-Unit-Action").orElse(0);
    return new FinalUnit(
        action >= 0 && action < ACTIONS.length ? ACTIONS[(int) action] : Action.TERMINATE,
        group.group("Redirect-Server").flatMap(server -> server.text("Redirect-Server-Address")));
  }

  void writeTo(AvpBuilder service) {
    service.group(
        "Final-Unit-Indication",
        group -> {
          group.add("Final-Unit-Action", action.name());
          redirect.ifPresent(url ->
              group.group(
                  "Redirect-Server",
                  server ->
                      server
                          .add("Redirect-Address-Type", URL)
                          .add("Redirect-Server-Address", url)));
        });
  }
}
