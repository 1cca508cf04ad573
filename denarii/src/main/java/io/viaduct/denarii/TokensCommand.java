package io.viaduct.denarii;

import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Period;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.denarii.text.Table;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Makes, lists and revokes tokens for programs.
@Command(
    name = "tokens",
    description = "Make, list and revoke tokens for programs.",
    mixinStandardHelpOptions = true,
    subcommands = {
      TokensCommand.Make.class,
      TokensCommand.ListTokens.class,
      TokensCommand.Revoke.class
    },
    footer = {"", "Example:", "  denarii tokens list"})
final class TokensCommand extends CommandGroup {
  /// Makes a token.
  @Command(
      name = "make",
      description = {
        "Make a token for your own account. It is shown this once: keep it in a file with mode 600,"
            + " and give the file to --token-file."
      },
      mixinStandardHelpOptions = true,
      footer = {
        "",
        "Example:",
        "  denarii tokens make --name reporting --scope read --expires 2027-06-30"
      })
  static final class Make extends ReadingCall {
    @Option(names = "--name", required = true, description = "what it is for")
    private String name = "";

    @Option(
        names = "--scope",
        required = true,
        paramLabel = "SCOPE",
        description =
            "read, accounts, money, tariffs, snapts, reports or webhooks; may be given several"
                + " times")
    private List<String> scopes = List.of();

    @Option(
        names = "--expires",
        required = true,
        paramLabel = "TIME",
        description = "2027-06-30 (its begin), 2027-06-30T20:00 or RFC 3339; 366 days at most")
    private String expires = "";

    @Override
    int run() throws IOException {
      JsonNode made =
          billing()
              .send(
                  "POST",
                  accountPath(null) + "/tokens",
                  Map.of(
                      "name",
                      name,
                      "scopes",
                      scopes,
                      "expiresAt",
                      Period.instant("--expires", expires, zone())),
                  Map.of())
              .body();
      if (isJson()) {
        json(made);
      } else {
        out().println(made.path("token").asString());
      }
      return 0;
    }
  }

  /// Lists tokens.
  @Command(
      name = "list",
      description = "List the tokens of an account with their last use, latest first.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tokens list alice"})
  static final class ListTokens extends ReadingCall {
    @Parameters(arity = "0..1", paramLabel = "ACCOUNT", description = "default: your own")
    private @Nullable String account;

    @Override
    int run() throws IOException {
      var tokens = Pages.of(billing(), accountPath(account) + "/tokens", Map.of(), "tokens");
      if (isJson()) {
        tokens.forEach(this::jsonLine);
        return 0;
      }
      Table table = new Table("ID", "NAME", "SCOPES", "LAST USED", "ENDS", "STATE");
      tokens.forEach(token ->
          table.row(
              token.path("id").asString(),
              token.path("name").asString(),
              String.join(
                  ",",
                  StreamSupport.stream(token.path("scopes").spliterator(), false)
                      .map(JsonNode::asString)
                      .toList()),
              time(token.path("lastUsedAt"), "never"),
              time(token.path("expiresAt"), "-"),
              token.path("revokedAt").isNull() ? "valid until its end" : "revoked"));
      table.print(out());
      return 0;
    }

    private String time(JsonNode time, String without) {
      return time.isNull() ? without : Quantity.time(time.asString(), zone());
    }
  }

  /// Revokes a token.
  @Command(
      name = "revoke",
      description = "Revoke a token at once: one of your own, or as an operator any.",
      mixinStandardHelpOptions = true,
      footer = {"", "Example:", "  denarii tokens revoke 17"})
  static final class Revoke extends BillingCall {
    @Parameters(paramLabel = "ID", description = "as the list has it")
    private String id = "";

    @Option(names = "--account", description = "whose token it is (default: your own)")
    private @Nullable String account;

    @Override
    int run() throws IOException {
      var unused =
          billing()
              .send(
                  "DELETE", accountPath(account) + "/tokens/" + Pages.encoded(id), null, Map.of());
      out().println("revoked");
      return 0;
    }
  }
}
