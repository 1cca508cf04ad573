package io.viaduct.denarii;

import io.viaduct.denarii.api.BillingApi;
import io.viaduct.denarii.api.Pages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// A command that asks billing.
abstract class BillingCall implements Callable<Integer> {
  private static final JsonMapper LINES = JsonMapper.shared();
  private static final JsonMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Mixin private Connection connection = new Connection();
  @Spec private @Nullable CommandSpec spec;

  @Override
  public final Integer call() throws IOException {
    try {
      return run();
    } catch (UncheckedIOException e) { // of a page
      throw Objects.requireNonNull(e.getCause());
    }
  }

  /// Runs the command.
  ///
  /// @return the exit code
  abstract int run() throws IOException;

  Connection connection() {
    return connection;
  }

  /// Returns billing with the token of the caller.
  BillingApi billing() throws IOException {
    return connection.open(surroundings());
  }

  Surroundings surroundings() {
    return ((DenariiCommand) Objects.requireNonNull(spec).root().userObject()).surroundings();
  }

  ZoneId zone() {
    return surroundings().zone();
  }

  PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }

  PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }

  /// Returns the path of an account: the given one, or that of the log-in.
  String accountPath(@Nullable String given) throws IOException {
    return "/accounts/" + Pages.encoded(given == null ? connection.account(surroundings()) : given);
  }

  /// Prints a JSON document for programs.
  void json(JsonNode document) {
    out().println(INDENTED.writeValueAsString(document));
  }

  /// Prints a JSON document as one line.
  void jsonLine(JsonNode document) {
    out().println(LINES.writeValueAsString(document));
    out().flush();
  }
}
