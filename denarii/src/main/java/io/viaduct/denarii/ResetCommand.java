package io.viaduct.denarii;

import io.viaduct.denarii.api.Pages;
import io.viaduct.denarii.text.Quantity;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Makes a link for a user who has lost the password, as an operator.
@Command(
    name = "reset",
    description = {
      "Make a link by which a user sets a new password without the old one, as an operator. It works"
          + " once, within 24 hours; pass it on by a way that you trust."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii reset alice --pages https://pages.operator.example"})
final class ResetCommand extends ReadingCall {
  @Parameters(paramLabel = "ACCOUNT", description = "whose password is lost")
  private String account = "";

  @Option(
      names = "--pages",
      paramLabel = "URL",
      description = "address of the pages (default: ${DEFAULT-VALUE})")
  private String pages = "http://127.0.0.1:8080";

  @Override
  int run() throws IOException {
    JsonNode made =
        billing()
            .send("POST", accountPath(account) + "/password-resets", Map.of(), Map.of())
            .body();
    if (isJson()) {
      json(made);
    } else {
      out()
          .printf(
              "%s/reset?token=%s%nends %s, or when it is used%n",
              pages.replaceAll("/+$", ""),
              Pages.encoded(made.path("token").asString()),
              Quantity.time(made.path("expiresAt").asString(), zone()));
    }
    return 0;
  }
}
