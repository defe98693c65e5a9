-- A write that leaves nothing behind. On newer servers WAIT waits only for what its own connection wrote: behind this
-- it also waits for what others had written before.
call('SET', P .. 'g:mark', '')
call('DEL', P .. 'g:mark')
return { 'OK' }
