package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.BillingRefusedException;
import io.viaduct.denarii.api.LoginFile;
import io.viaduct.denarii.text.Quantity;
import io.viaduct.service.configuration.PrivateFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// Logs in, and keeps the token for later commands.
@Command(
    name = "login",
    description =
        "Log in. The token is kept in ~/.config/denarii/login.json, mode 600, until it ends.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  denarii login --user alice"})
final class LoginCommand extends BillingCall {
  @Option(names = "--user", paramLabel = "NAME", required = true, description = "account")
  private String user = "";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "file with the password, mode 600 (default: ask)")
  private @Nullable Path passwordFile;

  @Override
  int run() throws IOException {
    URI url = connection().billing(surroundings());
    JsonNode session = session(new BillingApi(url, ""));
    Instant end = Instant.parse(session.path("expiresAt").asString());
    LoginFile file = new LoginFile(surroundings().loginFile());
    file.write(new LoginFile.Login(url, user, session.path("token").asString(), end));
    if (session.path("lacksSecondFactor").asBoolean(false)) {
      err()
          .println(
              "this account must have a second factor: log in at the pages and set it up first");
    }
    out().printf("logged in as %s until %s%n", user, Quantity.time(end.toString(), zone()));
    return 0;
  }

  private JsonNode session(BillingApi billing) throws IOException {
    try {
      return billing
          .send("POST", "/sessions", Map.of("user", user, "password", password()), Map.of())
          .body();
    } catch (BillingRefusedException e) {
      if (e.challenge().isEmpty()) {
        throw e;
      }
      String code = surroundings().password().ask("code of the authenticator app: ");
      return billing
          .send(
              "POST", "/sessions/codes", Map.of("challenge", e.challenge(), "code", code), Map.of())
          .body();
    }
  }

  private String password() throws IOException {
    if (passwordFile == null) {
      return surroundings().password().ask("password of " + user + ": ");
    }
    PrivateFile.require(passwordFile);
    return Files.readString(passwordFile).strip();
  }
}
