package io.viaduct.denarii;

import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// Erases a closed account, as an operator.
@Command(
    name = "erase",
    description = {
      "Erase a closed account, as an operator. Its name becomes a pseudonym in every row; addresses"
          + " and signed reports are deleted, amounts stay. It cannot be undone."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii account erase alice --yes"})
final class EraseCommand extends ReadingCall {
  @Parameters(paramLabel = "ACCOUNT", description = "the closed account")
  private String account = "";

  @Option(names = "--yes", required = true, description = "confirm: it cannot be undone")
  private boolean isConfirmed;

  @Override
  int run() throws IOException {
    JsonNode erased =
        billing().send("POST", accountPath(account) + "/erasure", Map.of(), Map.of()).body();
    if (isJson()) {
      json(erased);
    } else {
      out().printf("The account is %s now.%n", erased.path("pseudonym").asString());
    }
    return 0;
  }
}
