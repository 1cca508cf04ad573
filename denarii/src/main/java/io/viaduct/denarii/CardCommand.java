package io.viaduct.denarii;

import io.viaduct.denarii.document.CardFile;
import io.viaduct.denarii.text.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Gives accounts the keys of their cards.
@Command(
    name = "card",
    description = "Give an account the keys of its card, show since when it has one, take it away.",
    mixinStandardHelpOptions = true,
    subcommands = {CardCommand.Show.class, CardCommand.Set.class, CardCommand.Remove.class},
    footer = {"", "Example:", "  denarii card show alice"})
final class CardCommand extends CommandGroup {
  /// A command about the card of an account.
  abstract static class OfAccount extends ReadingCall {
    @Parameters(paramLabel = "ACCOUNT", description = "whose card")
    private String account = "";

    String account() {
      return account;
    }

    String card() throws IOException {
      return accountPath(account) + "/card";
    }
  }

  /// Shows whether an account has a card.
  @Command(
      name = "show",
      description = "Show since when an account has its card. Its keys are never shown.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii card show alice"})
  static final class Show extends OfAccount {
    @Override
    int run() throws IOException {
      JsonNode card = billing().get(card());
      if (isJson()) {
        json(card);
      } else {
        out()
            .printf(
                "card since %s, amf %s%n",
                Quantity.time(card.path("changedAt").asString(), zone()),
                card.path("amf").asString());
      }
      return 0;
    }
  }

  /// Sets the keys of a card.
  @Command(
      name = "set",
      description = {
        "Give an account the keys of its card, as an operator. The file has a line k=… and a line"
            + " opc=… or op=…, each 32 hexadecimal digits, and of choice amf=… with 4. Only you may"
            + " be able to read it (chmod 600). Many cards at once: 'imports.subscribers' of"
            + " billing's configuration."
      },
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii card set alice --file alice.card"})
  static final class Set extends OfAccount {
    @Option(names = "--file", required = true, paramLabel = "FILE", description = "keys")
    private Path file = Path.of("");

    @Override
    int run() throws IOException {
      var unused = billing().send("PUT", card(), CardFile.read(file), Map.of());
      out().printf("%s has a card%n", account());
      return 0;
    }
  }

  /// Takes a card away.
  @Command(
      name = "remove",
      description = "Take the card of an account away, as an operator.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii card remove alice"})
  static final class Remove extends OfAccount {
    @Override
    int run() throws IOException {
      var unused = billing().send("DELETE", card(), null, Map.of());
      out().printf("%s has no card%n", account());
      return 0;
    }
  }
}
