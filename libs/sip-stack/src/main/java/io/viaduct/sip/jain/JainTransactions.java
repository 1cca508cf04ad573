package io.viaduct.sip.jain;

import gov.nist.javax.sip.EventScanner;
import gov.nist.javax.sip.EventWrapper;
import gov.nist.javax.sip.SipStackImpl;
import gov.nist.javax.sip.message.SIPMessage;
import gov.nist.javax.sip.message.SIPRequest;
import gov.nist.javax.sip.parser.ParseExceptionListener;
import gov.nist.javax.sip.parser.StringMsgParser;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipException.Reason;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.transport.SipSockets;
import java.text.ParseException;
import java.util.EnumMap;
import java.util.EventObject;
import java.util.Map;
import java.util.Properties;
import java.util.TooManyListenersException;
import java.util.concurrent.CompletableFuture;
import javax.sip.ClientTransaction;
import javax.sip.ListeningPoint;
import javax.sip.SipProvider;
import org.jspecify.annotations.Nullable;

/// The client transactions of one endpoint. Received requests do not pass through it (ADR 0009).
/// Thread-safe; calls may block on a TCP connect.
public final class JainTransactions implements AutoCloseable {
  /// The address that the stack believes it listens on. No peer has this address, so the stack
  /// never delivers a message to itself without using the sockets.
  private static final String NOWHERE = "0.0.0.0";

  private static final ParseExceptionListener STRICT =
      (exception, _, _, _, _) -> {
        throw exception;
      };

  private final SipStackImpl stack;
  private final SipProvider provider;
  private final Map<Transport, FlowMessageProcessor> processors = new EnumMap<>(Transport.class);

  /// Builds the stack over open sockets.
  ///
  /// @param events receives the stray responses of the stack
  public JainTransactions(SipSockets sockets, int maximumMessageSize, TransactionEvents events) {
    try {
      stack = new SipStackImpl(properties(maximumMessageSize));
      stack.setMessageProcessorFactory((owner, address, port, name) -> {
        Transport kind = Transport.valueOf(name.toUpperCase(java.util.Locale.ROOT));
        FlowMessageProcessor processor =
            new FlowMessageProcessor(owner, address, port, kind, sockets, maximumMessageSize);
        processors.put(kind, processor);
        return processor;
      });
      ListeningPoint udp = stack.createListeningPoint(NOWHERE, sockets.port(), "udp");
      provider = stack.createSipProvider(udp);
      for (Transport each : sockets.streams()) {
        provider.addListeningPoint(
            stack.createListeningPoint(NOWHERE, sockets.port(each), each.parameter()));
      }
      provider.setAutomaticDialogSupportEnabled(false);
      provider.addSipListener(new TransactionListener(events));
      stack.start();
    } catch (javax.sip.SipException
        | TooManyListenersException
        | javax.sip.InvalidArgumentException e) {
      throw new IllegalStateException("SIP stack does not start", e);
    }
  }

  private static Properties properties(int maximumMessageSize) {
    Properties p = new Properties();
    p.setProperty(
        "javax.sip.STACK_NAME", "viaduct-" + Long.toHexString(System.identityHashCode(p)));
    p.setProperty("javax.sip.AUTOMATIC_DIALOG_SUPPORT", "off");
    p.setProperty("javax.sip.ROUTER_PATH", FlowRouter.class.getName());
    p.setProperty("javax.sip.USE_ROUTER_FOR_ALL_URIS", "true");
    String nist = "gov.nist.javax.sip.";
    p.setProperty(nist + "AUTOMATIC_DIALOG_ERROR_HANDLING", "false");
    p.setProperty(nist + "DELIVER_UNSOLICITED_NOTIFY", "true");
    p.setProperty(nist + "STACK_LOGGER", SilentStackLogger.class.getName());
    p.setProperty(nist + "SERVER_LOGGER", SilentServerLogger.class.getName());
    p.setProperty(nist + "LOG_MESSAGE_CONTENT", "false");
    p.setProperty(nist + "MAX_MESSAGE_SIZE", Integer.toString(maximumMessageSize));
    p.setProperty(nist + "REENTRANT_LISTENER", "true");
    // The stack uses the pool only for sockets of its own; our messages come in on virtual threads.
    p.setProperty(nist + "THREAD_POOL_SIZE", "1");
    // java.util.Timer was the stack's most contended lock.
    p.setProperty(
        nist + "TIMER_CLASS_NAME", "gov.nist.javax.sip.stack.timers.ScheduledExecutorSipTimer");
    p.setProperty(nist + "THREAD_PRIORITY", Integer.toString(Thread.NORM_PRIORITY));
    p.setProperty(nist + "PATCH_RPORT", "false");
    return p;
  }

  /// Passes a response that the guard accepted to its client transaction.
  ///
  /// @throws ParseException if the stack's parser refuses the response
  public void receive(SipResponse response, SipFlow flow) throws ParseException {
    FlowMessageProcessor processor = processor(flow.transport());
    SIPMessage parsed = parse(TransactionView.received(response));
    parsed.setApplicationData(response);
    try {
      processor.channel(flow).processMessage(parsed);
    } catch (ParseException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("stack failed on a response", e);
    }
  }

  /// Starts a client transaction.
  ///
  /// @param request with its topmost Via
  /// @param answer completed with the final response or with a [SipException]
  public void send(SipRequest request, SipFlow flow, CompletableFuture<SipResponse> answer) {
    try {
      SIPRequest parsed = (SIPRequest) parse(TransactionView.sent(request));
      parsed.setApplicationData(new Outgoing(flow, request.encode()));
      ClientTransaction transaction = provider.getNewClientTransaction(parsed);
      transaction.setApplicationData(answer);
      transaction.sendRequest();
    } catch (ParseException e) {
      fail(answer, Reason.INVALID, request.method() + ": " + e.getMessage());
    } catch (javax.sip.SipException e) {
      fail(answer, Reason.TRANSPORT, "cannot send " + request.method() + " to " + flow);
    }
  }

  private FlowMessageProcessor processor(Transport transport) {
    FlowMessageProcessor processor = processors.get(transport);
    if (processor == null) {
      throw new IllegalStateException("no listening point for " + transport);
    }
    return processor;
  }

  private static SIPMessage parse(byte[] bytes) throws ParseException {
    SIPMessage message = new StringMsgParser().parseSIPMessage(bytes, true, false, STRICT);
    if (message == null) {
      throw new ParseException("empty message", 0);
    }
    return message;
  }

  static void fail(@Nullable Object answer, Reason reason, String why) {
    if (answer instanceof CompletableFuture<?> future) {
      future.completeExceptionally(new SipException(reason, why));
    }
  }

  /// Returns at once and stops the stack in the background. The stack's own stop sleeps for a
  /// second before it drops its tables. No message passes meanwhile, because the sockets are
  /// closed.
  @Override
  public void close() {
    EventScanner scanner = stack.getEventScanner();
    if (scanner != null) {
      Thread.ofVirtual().name("sip-stack-stop").start(() -> stop(scanner));
    }
  }

  /// Stops the stack. The stack leaves its scanner waiting for one more event, on a thread that
  /// keeps the JVM alive. The last event ends that thread.
  private void stop(EventScanner scanner) {
    stack.stop();
    scanner.addEvent(new EventWrapper(new EventObject(this), null));
  }
}
