package io.viaduct.sip.jain;

import gov.nist.javax.sip.message.SIPMessage;
import io.viaduct.sip.SipException.Reason;
import io.viaduct.sip.SipResponse;
import java.util.concurrent.CompletableFuture;
import javax.sip.ClientTransaction;
import javax.sip.DialogTerminatedEvent;
import javax.sip.IOExceptionEvent;
import javax.sip.RequestEvent;
import javax.sip.ResponseEvent;
import javax.sip.SipListener;
import javax.sip.TimeoutEvent;
import javax.sip.TransactionTerminatedEvent;

/// Translates the stack's events into [TransactionEvents].
final class TransactionListener implements SipListener {
  private final TransactionEvents events;

  TransactionListener(TransactionEvents events) {
    this.events = events;
  }

  @Override
  public void processRequest(RequestEvent event) {
    // No request enters the stack; see JainTransactions.receive.
  }

  @Override
  @SuppressWarnings("unchecked") // only our code sets the application data of a client transaction
  public void processResponse(ResponseEvent event) {
    ClientTransaction transaction = event.getClientTransaction();
    if (transaction == null) {
      events.onStrayResponse();
      return;
    }
    Object ours = ((SIPMessage) event.getResponse()).getApplicationData();
    if (ours instanceof SipResponse response
        && response.isFinal()
        && transaction.getApplicationData() instanceof CompletableFuture<?> answer) {
      ((CompletableFuture<SipResponse>) answer).complete(response);
    }
  }

  @Override
  public void processTimeout(TimeoutEvent event) {
    if (!event.isServerTransaction()) {
      JainTransactions.fail(
          event.getClientTransaction().getApplicationData(),
          Reason.TIMEOUT,
          "no response to " + event.getClientTransaction().getRequest().getMethod());
    }
  }

  @Override
  public void processIOException(IOExceptionEvent event) {
    // The transaction of the lost message times out; nothing else needs cleaning up.
  }

  @Override
  public void processTransactionTerminated(TransactionTerminatedEvent event) {
    if (!event.isServerTransaction()) {
      JainTransactions.fail(
          event.getClientTransaction().getApplicationData(),
          Reason.TRANSPORT,
          "transaction ended without a response");
    }
  }

  @Override
  public void processDialogTerminated(DialogTerminatedEvent event) {}
}
