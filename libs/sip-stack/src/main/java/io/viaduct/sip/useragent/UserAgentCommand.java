package io.viaduct.sip.useragent;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import io.viaduct.sip.SipResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// A user agent for people and scripts. Prints one line per event to standard output. Exit code 0
/// if the peer accepted, 1 if it refused, else a code of [ExitCode]: 69 if it did not answer.
@Command(
    name = "user-agent",
    description = "SIP user agent: registers, sends and prints messages",
    mixinStandardHelpOptions = true,
    subcommands = {
      UserAgentCommand.Register.class,
      UserAgentCommand.Message.class,
      UserAgentCommand.Listen.class
    })
public final class UserAgentCommand {
  private static final int REFUSED = 1;
  private static final long ANSWER_SECONDS = 40; // more than 64*T1

  public static void main(String[] args) {
    System.exit(run(args));
  }

  /// Runs the whole command and returns the exit code.
  static int run(String... arguments) {
    CommandLine line = ProcessCommandLine.of(new UserAgentCommand(), UserAgentCommand::codeOf);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line.execute(arguments);
  }

  private static int codeOf(Exception failure) {
    return switch (failure) {
      case IOException _, TimeoutException _ -> ExitCode.UNAVAILABLE;
      case IllegalArgumentException _ -> ExitCode.USAGE;
      default -> ExitCode.DEFECT;
    };
  }

  /// Writes whole lines at once, so that a script can wait for them.
  private record Printer(PrintWriter out) implements UserAgentListener {
    void line(String text) {
      out.println(text);
      out.flush();
    }

    @Override
    public void onState(UserAgentState state) {
      line(("registration " + state.registration() + " " + state.detail()).strip());
    }
  }

  private static SipResponse await(java.util.concurrent.Future<SipResponse> answer)
      throws InterruptedException, IOException, TimeoutException {
    try {
      return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause() == null ? e : e.getCause().getMessage()));
    }
  }

  /// A subcommand with the options of a user agent.
  private abstract static class Verb implements Callable<Integer> {
    @Mixin private UserAgentOptions options = new UserAgentOptions();
    @Spec private @Nullable CommandSpec spec;

    Printer printer() {
      if (spec == null) {
        throw new IllegalStateException("picocli has not set the command");
      }
      return new Printer(spec.commandLine().getOut());
    }

    UserAgent start(UserAgentListener listener) throws IOException {
      return UserAgent.start(options.settings(), InstantSource.system(), listener);
    }
  }

  /// Registers and keeps the registration until the process is told to end, then deregisters.
  @Command(
      name = "register",
      description = "stay registered until interrupted",
      mixinStandardHelpOptions = true)
  static final class Register extends Verb {
    @Override
    public Integer call() throws IOException, InterruptedException {
      try (UserAgent agent = start(printer())) {
        endGracefully(agent);
        agent.register();
        new CountDownLatch(1).await();
        return 0;
      }
    }
  }

  /// Prints received messages.
  @Command(
      name = "listen",
      description = "register and print messages: sender, a blank, text",
      mixinStandardHelpOptions = true)
  static final class Listen extends Verb {
    @Option(names = "--count", description = "end after so many messages")
    int count = Integer.MAX_VALUE;

    @Option(names = "--echo", description = "send each message back to its sender")
    boolean echo;

    @Override
    public Integer call() throws IOException, InterruptedException {
      Printer printer = printer();
      CountDownLatch left = new CountDownLatch(count);
      UserAgent[] agent = new UserAgent[1];
      UserAgentListener listener =
          new UserAgentListener() {
            @Override
            public void onState(UserAgentState state) {
              printer.onState(state);
            }

            @Override
            public void onMessage(InstantMessage message) {
              printer.line("message " + message.from() + " " + message.text());
              UserAgent self = agent[0];
              if (echo && self != null) {
                var unused =
                    self.sendMessage(message.from(), message.contentType(), message.text())
                        .whenComplete((_, _) -> left.countDown());
              } else {
                left.countDown();
              }
            }
          };
      try (UserAgent self = start(listener)) {
        agent[0] = self;
        endGracefully(self);
        self.register();
        left.await();
        endWithoutRegistration(self);
        return 0;
      }
    }
  }

  /// Sends one message.
  @Command(
      name = "message",
      description = "send one message; exit code 0 if it was accepted",
      mixinStandardHelpOptions = true)
  static final class Message extends Verb {
    @Parameters(index = "0", description = "recipient: user or sip: URI")
    String to = "";

    @Parameters(index = "1", description = "text")
    String text = "";

    @Option(names = "--content-type", description = "default: ${DEFAULT-VALUE}")
    String contentType = "text/plain";

    @Override
    public Integer call() throws Exception {
      Printer printer = printer();
      try (UserAgent agent = start(new UserAgentListener() {})) {
        SipResponse response = await(agent.sendMessage(to, contentType, text));
        printer.line(response.status() + " " + response.reason());
        return response.isSuccess() ? 0 : REFUSED;
      }
    }
  }

  private static void endGracefully(UserAgent agent) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endWithoutRegistration(agent)));
  }

  private static void endWithoutRegistration(UserAgent agent) {
    try {
      var unused = agent.deregister().get(2, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      // The registration expires on its own; the process must end in any case.
    }
  }
}
