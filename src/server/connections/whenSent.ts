import type { ServerResponse } from 'node:http';

/** Calls back once the response is sent or its connection is closed, and at the latest after that time. */
export function whenSent(res: ServerResponse, milliseconds: number, callBack: () => void): void {
  const done = () => {
    clearTimeout(timer);
    res.off('close', done);
    callBack();
  };
  const timer = setTimeout(done, milliseconds).unref();
  res.once('close', done);
}
